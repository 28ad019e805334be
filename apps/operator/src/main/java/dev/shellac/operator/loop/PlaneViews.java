package dev.shellac.operator.loop;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.operator.fleet.CertificateVersions;
import dev.shellac.operator.fleet.DataPlanes;
import dev.shellac.operator.fleet.Fleet;
import dev.shellac.operator.fleet.Pod;
import dev.shellac.operator.fleet.PodState;
import dev.shellac.translate.plan.GatewayPlan;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is known of the pods and Services of a Gateway, put together for its status. For the loop's thread. */
record PlaneViews(Ports ports, GatewayObjects objects) {
    DataPlanes.View of(Gateway gateway, Desk desk, Optional<GatewayPlan> plan, Instant now) {
        Fleet.Parts parts = parts(gateway);
        Set<String> fronts = objects.fronts(gateway);
        return new DataPlanes.View(
                gateway,
                parts.pods(),
                parts.states(),
                parts.silent(),
                parts.fronts().stream()
                        .filter(front -> fronts.contains(front.name().name()))
                        .toList(),
                plan.filter(found -> isNamed(parts, desk.certificates()))
                        .map(objects::certificateFiles)
                        .orElse(Map.of()),
                desk.certificates(),
                desk.asked(new LinkedHashSet<>(DataPlanes.asked(gateway)), now),
                ports.obstacles(key(gateway)),
                now);
    }

    private Fleet.Parts parts(Gateway gateway) {
        return ports.fleet(key(gateway));
    }

    private Fleet.Key key(Gateway gateway) {
        Name name = gateway.meta().name();
        return new Fleet.Key(name.namespace(), objects.label(name));
    }

    // Asked for only where a pod has left one out or is behind, since states come often.
    private static boolean isNamed(Fleet.Parts parts, CertificateVersions versions) {
        return parts.states().values().stream()
                .anyMatch(state -> !state.leftOut().isEmpty() || versions.isBehind(state));
    }

    /**
     * The Secret that an earlier release had all certificates in, while it is there and a pod may have to read it. Pods of that release go when those of this one
     * are ready; until then it stays as it is.
     */
    Optional<ObjectKey> formerSecret(Gateway gateway) {
        ObjectKey key = objects.formerSecret(gateway.meta().name());
        return ports.isOwn(key, gateway.meta().uid()) && !isMoved(parts(gateway)) ? Optional.of(key) : Optional.empty();
    }

    private static boolean isMoved(Fleet.Parts parts) {
        List<Pod> pods = parts.pods().stream().filter(pod -> !pod.ending()).toList();
        return !pods.isEmpty()
                && pods.stream()
                        .allMatch(pod -> Optional.ofNullable(parts.states().get(pod.uid()))
                                .flatMap(PodState::certificates)
                                .isPresent());
    }
}
