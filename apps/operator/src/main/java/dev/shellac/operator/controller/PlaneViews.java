package dev.shellac.operator.controller;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.operator.pods.CertificateVersions;
import dev.shellac.operator.pods.DataPlanes;
import dev.shellac.operator.pods.Pod;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.pods.PodState;
import dev.shellac.translate.plan.GatewayPlan;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is known of the pods and Services of a Gateway, put together for its status. For the loop's thread. */
record PlaneViews(Ports ports, GatewayRenderer renderer) {
    DataPlanes.View of(Gateway gateway, GatewayConfigWriter configWriter, Optional<GatewayPlan> plan, Instant now) {
        PodRegistry.GatewayPods gatewayPods = parts(gateway);
        Set<String> services = renderer.services(gateway);
        return new DataPlanes.View(
                gateway,
                gatewayPods.pods(),
                gatewayPods.states(),
                gatewayPods.silent(),
                gatewayPods.services().stream()
                        .filter(service -> services.contains(service.name().name()))
                        .toList(),
                plan.filter(found -> isNamed(gatewayPods, configWriter.certificates()))
                        .map(renderer::certificateFiles)
                        .orElse(Map.of()),
                configWriter.certificates(),
                configWriter.asked(new LinkedHashSet<>(DataPlanes.asked(gateway)), now),
                ports.obstacles(key(gateway)),
                now);
    }

    private PodRegistry.GatewayPods parts(Gateway gateway) {
        return ports.pods(key(gateway));
    }

    private PodRegistry.Key key(Gateway gateway) {
        Name name = gateway.meta().name();
        return new PodRegistry.Key(name.namespace(), renderer.label(name));
    }

    // Asked for only where a pod has left one out or is behind, since states come often.
    private static boolean isNamed(PodRegistry.GatewayPods gatewayPods, CertificateVersions versions) {
        return gatewayPods.states().values().stream()
                .anyMatch(state -> !state.leftOut().isEmpty() || versions.isBehind(state));
    }

    /**
     * The Secret that an earlier release had all certificates in, while it is there and a pod may have to read it. Pods of that release go when those of this one
     * are ready; until then it stays as it is.
     */
    Optional<ObjectKey> formerSecret(Gateway gateway) {
        ObjectKey key = renderer.formerSecret(gateway.meta().name());
        return ports.isOwn(key, gateway.meta().uid()) && !isMoved(parts(gateway)) ? Optional.of(key) : Optional.empty();
    }

    private static boolean isMoved(PodRegistry.GatewayPods gatewayPods) {
        List<Pod> pods =
                gatewayPods.pods().stream().filter(pod -> !pod.ending()).toList();
        return !pods.isEmpty()
                && pods.stream()
                        .allMatch(
                                pod -> Optional.ofNullable(gatewayPods.states().get(pod.uid()))
                                        .flatMap(PodState::certificates)
                                        .isPresent());
    }
}
