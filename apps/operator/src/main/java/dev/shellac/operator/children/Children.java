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
    public static List<HasMetadata> of(Blueprint blueprint) {
        var objects = new ArrayList<>(Permissions.of(blueprint));
        PodNetworkPolicy.of(blueprint).ifPresent(objects::add);
        objects.addAll(Fronts.of(blueprint));
        objects.add(GatewayDeployment.of(blueprint));
        disruption(blueprint).ifPresent(objects::add);
        autoscaler(blueprint).ifPresent(objects::add);
        blueprint.parameters().flatMap(GatewayClassParameters::monitor).ifPresent(monitor -> {
            objects.add(metrics(blueprint));
            objects.add(monitor(blueprint, monitor));
        });
        return objects;
    }

    private static Optional<PodDisruptionBudget> disruption(Blueprint blueprint) {
        return PodParts.of(blueprint.pod())
                .disruption()
                .map(wanted -> new PodDisruptionBudgetBuilder()
                        .withMetadata(blueprint.imprint().meta(blueprint.names().base()))
                        .withSpec(selecting(blueprint, wanted))
                        .build());
    }

    private static PodDisruptionBudgetSpec selecting(Blueprint blueprint, PodDisruptionBudgetSpec wanted) {
        return wanted.edit()
                .withNewSelector()
                .withMatchLabels(blueprint.imprint().selector())
                .endSelector()
                .build();
    }

    private static Optional<HorizontalPodAutoscaler> autoscaler(Blueprint blueprint) {
        return blueprint
                .scale()
                .autoscaling()
                .map(scale -> new HorizontalPodAutoscalerBuilder()
                        .withMetadata(blueprint.imprint().meta(blueprint.names().base()))
                        .withNewSpec()
                        .withNewScaleTargetRef()
                        .withApiVersion("apps/v1")
                        .withKind("Deployment")
                        .withName(blueprint.names().base())
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
    private static Service metrics(Blueprint blueprint) {
        return new ServiceBuilder()
                .withMetadata(blueprint.imprint().meta(blueprint.names().metricsService(), METRICS, Map.of()))
                .withNewSpec()
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(blueprint.imprint().selector())
                .addNewPort()
                .withName(GatewayDeployment.HEALTH)
                .withProtocol("TCP")
                .withPort(GatewayDeployment.HEALTH_PORT)
                .withTargetPort(new IntOrString(GatewayDeployment.HEALTH))
                .endPort()
                .endSpec()
                .build();
    }

    private static ServiceMonitor monitor(Blueprint blueprint, GatewayClassParameters.Monitor monitor) {
        var selector = new TreeMap<>(blueprint.imprint().selector());
        selector.putAll(METRICS);
        var endpoint = new TreeMap<String, Object>();
        endpoint.put("port", GatewayDeployment.HEALTH);
        endpoint.put("path", "/metrics");
        monitor.interval().ifPresent(interval -> endpoint.put("interval", interval));
        var wanted = new ServiceMonitor();
        wanted.setMetadata(blueprint.imprint().meta(blueprint.names().base(), monitor.labels(), Map.of()));
        wanted.setSpec(
                new TreeMap<>(Map.of("selector", Map.of("matchLabels", selector), "endpoints", List.of(endpoint))));
        return wanted;
    }
}
