package dev.shellac.operator.children;

import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Storage;
import dev.shellac.translate.resolve.MemoryBudget;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The pods of a Gateway. Nothing in their template depends on listeners, routes, certificates or VCL, so a change of these restarts no pod. They
 * pass the restricted pod security standard, and run as whatever user they are given.
 */
final class GatewayDeployment {
    static final int HEALTH_PORT = 8081;
    static final String CONTAINER = "varnish-gateway";
    static final String HEALTH = "health";
    private static final String RUN = "varnish-run";
    private static final String STORAGE = "varnish-storage";
    private static final String STORAGE_FOLDER = "/var/lib/varnish-storage";
    private static final String TMP = "tmp";
    private static final String KEYS = "varnish-keys";
    private static final long SHUTDOWN = 5;
    private static final long MEBI = 1L << 20;
    private static final ResourceRequirements USUAL = new ResourceRequirementsBuilder()
            .addToRequests("cpu", new Quantity("100m"))
            .addToRequests("memory", new Quantity("256Mi"))
            .build();

    private final DeploymentInput input;
    private final PodParts parts;

    private GatewayDeployment(DeploymentInput input) {
        this.input = input;
        this.parts = PodParts.of(input.pod());
    }

    static Deployment of(DeploymentInput input) {
        return new GatewayDeployment(input).deployment();
    }

    private Deployment deployment() {
        return new DeploymentBuilder()
                .withMetadata(input.metadata().meta(input.names().base()))
                .withNewSpec()
                .withReplicas(input.scale().replicas().orElse(null))
                .withNewSelector()
                .withMatchLabels(input.metadata().selector())
                .endSelector()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(new IntOrString(0))
                .withMaxSurge(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .withTemplate(hashed(template()))
                .endSpec()
                .build();
    }

    // The template is what restarts pods; its hash says so in one word.
    private static PodTemplateSpec hashed(PodTemplateSpec template) {
        return template.edit()
                .editMetadata()
                .addToAnnotations(Labels.INFRA_HASH, Names.sha256(PodParts.canonical(template)))
                .endMetadata()
                .build();
    }

    private PodTemplateSpec template() {
        var containers = new ArrayList<>(List.of(gateway()));
        input.parameters()
                .flatMap(GatewayClassParameters::logging)
                .ifPresent(logging -> containers.add(LogSidecar.of(logging, input.image(), run(Access.READ))));
        var annotations = new TreeMap<>(input.pod().annotations());
        annotations.put("kubectl.kubernetes.io/default-container", CONTAINER);
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(input.metadata().labels(input.pod().labels()))
                .withAnnotations(input.metadata().annotations(annotations))
                .endMetadata()
                .withNewSpec()
                .withServiceAccountName(input.names().serviceAccount())
                .withEnableServiceLinks(false)
                .withImagePullSecrets(input.platform().pullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withTerminationGracePeriodSeconds(PodEnvironment.DRAIN_DELAY + PodEnvironment.DRAIN_TIMEOUT + SHUTDOWN)
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .withInitContainers(parts.initContainers())
                .withContainers(containers)
                .withVolumes(volumes())
                .withNodeSelector(input.pod().nodeSelector())
                .withTolerations(parts.tolerations())
                .withAffinity(parts.affinity().orElse(null))
                .withTopologySpreadConstraints(parts.spread())
                .withPriorityClassName(input.pod().priorityClass().orElse(null))
                .endSpec()
                .build();
    }

    private Container gateway() {
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(input.image())
                .withImagePullPolicy("IfNotPresent")
                .addNewPort()
                .withName(HEALTH)
                .withContainerPort(HEALTH_PORT)
                .withProtocol("TCP")
                .endPort()
                .withCommand(PodEnvironment.command(input))
                .withEnv(PodEnvironment.of(input))
                .withResources(parts.resources().orElse(USUAL))
                .withSecurityContext(confined())
                // A pod may take its first endpoints' time to be ready; it is alive long before.
                .withStartupProbe(probe("/health", 1, 60))
                .withReadinessProbe(readiness())
                .withLivenessProbe(probe("/health", 10, 3))
                .withVolumeMounts(mounts())
                .build();
    }

    // A refusal counts after two of them; silence, as of a busy node, only after ten seconds.
    private static Probe readiness() {
        return new ProbeBuilder(probe("/ready", 2, 2)).withTimeoutSeconds(5).build();
    }

    private static Probe probe(String path, int period, int failures) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(path)
                .withPort(new IntOrString(HEALTH))
                .withScheme("HTTP")
                .endHttpGet()
                .withPeriodSeconds(period)
                .withTimeoutSeconds(2)
                .withFailureThreshold(failures)
                .build();
    }

    static SecurityContext confined() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withRunAsNonRoot(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .build();
    }

    /** How a volume is mounted. */
    private enum Access {
        READ,
        WRITE
    }

    private static VolumeMount run(Access access) {
        return mount(RUN, PodEnvironment.FOLDER)
                .edit()
                .withReadOnly(access == Access.READ ? true : null)
                .build();
    }

    private List<VolumeMount> mounts() {
        var mounts = new ArrayList<>(
                List.of(run(Access.WRITE), mount(KEYS, PodEnvironment.KEYS_FOLDER), mount(TMP, "/tmp")));
        fileStorage().ifPresent(size -> mounts.add(mount(STORAGE, STORAGE_FOLDER)));
        mounts.addAll(parts.mounts());
        return mounts;
    }

    private static VolumeMount mount(String name, String path) {
        return new VolumeMountBuilder().withName(name).withMountPath(path).build();
    }

    private List<Volume> volumes() {
        var volumes = new ArrayList<>(List.of(empty(RUN), keys(), empty(TMP)));
        fileStorage().ifPresent(size -> volumes.add(empty(STORAGE)));
        volumes.addAll(parts.volumes());
        return volumes;
    }

    // Private keys reach no disk, and outlive their container, as the rest does that a start without the API begins
    // with.
    private Volume keys() {
        return new VolumeBuilder()
                .withName(KEYS)
                .withNewEmptyDir()
                .withMedium("Memory")
                .withSizeLimit(
                        new Quantity(MemoryBudget.of(input.pod().memoryLimit()).keys() / MEBI + "Mi"))
                .endEmptyDir()
                .build();
    }

    private static Volume empty(String name) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .endEmptyDir()
                .build();
    }

    private Optional<Long> fileStorage() {
        return input.parameters()
                .flatMap(GatewayClassParameters::storage)
                .filter(storage -> storage.kind() == Storage.Kind.FILE)
                .flatMap(Storage::bytes);
    }

    static Map<String, Quantity> amounts(String cpu, String memory) {
        return new TreeMap<>(Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory)));
    }
}
