package dev.shellac.operator.children;

import dev.shellac.model.policy.GatewayClassParameters;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All objects of a Gateway but its configuration, in an order in which each finds what it needs. */
public final class Children {
    private static final Map<String, String> METRICS = Map.of(Labels.COMPONENT, "metrics");

    private Children() {}

    /**
     * What must be there, in the Gateway's namespace and, for Roles, in others.
     *
     * @throws IllegalArgumentException if the parameters hold what no object can be made of, with words for their author
     */
    public static List<HasMetadata> of(DeploymentInput input) {
        var objects = new ArrayList<>(Permissions.of(input));
        PodNetworkPolicy.of(input).ifPresent(objects::add);
        objects.addAll(GatewayServices.of(input));
        objects.add(GatewayDeployment.of(input));
        disruption(input).ifPresent(objects::add);
        autoscaler(input).ifPresent(objects::add);
        input.parameters().flatMap(GatewayClassParameters::monitor).ifPresent(monitor -> {
            objects.add(metrics(input));
            objects.add(monitor(input, monitor));
        });
        return objects;
    }

    private static Optional<PodDisruptionBudget> disruption(DeploymentInput input) {
        return PodParts.of(input.pod())
                .disruption()
                .map(wanted -> new PodDisruptionBudgetBuilder()
                        .withMetadata(input.metadata().meta(input.names().base()))
                        .withSpec(selecting(input, wanted))
                        .build());
    }

    private static PodDisruptionBudgetSpec selecting(DeploymentInput input, PodDisruptionBudgetSpec wanted) {
        return wanted.edit()
                .withNewSelector()
                .withMatchLabels(input.metadata().selector())
                .endSelector()
                .build();
    }

    private static Optional<HorizontalPodAutoscaler> autoscaler(DeploymentInput input) {
        return input.scale()
                .autoscaling()
                .map(scale -> new HorizontalPodAutoscalerBuilder()
                        .withMetadata(input.metadata().meta(input.names().base()))
                        .withNewSpec()
                        .withNewScaleTargetRef()
                        .withApiVersion("apps/v1")
                        .withKind("Deployment")
                        .withName(input.names().base())
                        .endScaleTargetRef()
                        .withMinReplicas(scale.minReplicas())
                        .withMaxReplicas(scale.maxReplicas())
                        .addNewMetric()
                        .withType("Resource")
                        .withNewResource()
                        .withName("cpu")
                        .withNewTarget()
                        .withType("Utilization")
                        .withAverageUtilization(scale.targetCpuPercent())
                        .endTarget()
                        .endResource()
                        .endMetric()
                        .endSpec()
                        .build());
    }

    // Metrics have a Service of their own, without an address: what clients reach has no port for them.
    private static Service metrics(DeploymentInput input) {
        return new ServiceBuilder()
                .withMetadata(input.metadata().meta(input.names().metricsService(), METRICS, Map.of()))
                .withNewSpec()
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(input.metadata().selector())
                .addNewPort()
                .withName(GatewayDeployment.HEALTH)
                .withProtocol("TCP")
                .withPort(GatewayDeployment.HEALTH_PORT)
                .withTargetPort(new IntOrString(GatewayDeployment.HEALTH))
                .endPort()
                .endSpec()
                .build();
    }

    private static ServiceMonitor monitor(DeploymentInput input, GatewayClassParameters.Monitor monitor) {
        var selector = new TreeMap<>(input.metadata().selector());
        selector.putAll(METRICS);
        var endpoint = new TreeMap<String, Object>();
        endpoint.put("port", GatewayDeployment.HEALTH);
        endpoint.put("path", "/metrics");
        monitor.interval().ifPresent(interval -> endpoint.put("interval", interval));
        var wanted = new ServiceMonitor();
        wanted.setMetadata(input.metadata().meta(input.names().base(), monitor.labels(), Map.of()));
        wanted.setSpec(
                new TreeMap<>(Map.of("selector", Map.of("matchLabels", selector), "endpoints", List.of(endpoint))));
        return wanted;
    }
}
