package dev.shellac.chaperone.controller;

import dev.shellac.chaperone.kube.Slices;
import dev.shellac.model.Name;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The namespaces that cannot be listed, and since when. Nobody waits for one that cannot be for a while: what other tenants revoked or changed would wait with
 * it. Where none at all could be listed, it is the API server that is away.
 */
final class UnlistedNamespaces {
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Map<String, Instant> since = new HashMap<>();

    void look(Slices slices, Instant now) {
        since.keySet().retainAll(slices.faults().keySet());
        since.keySet().removeAll(slices.listed());
        slices.faults().keySet().stream()
                .filter(namespace -> !slices.listed().contains(namespace))
                .forEach(namespace -> since.putIfAbsent(namespace, now));
    }

    /** Whether the endpoints of one of these Services may still come soon. */
    boolean isWorthWaiting(Set<Name> services, Slices slices, Instant now) {
        return services.stream().anyMatch(service -> slices.listed().isEmpty() || !hasFailed(service.namespace(), now));
    }

    private boolean hasFailed(String namespace, Instant now) {
        return Optional.ofNullable(since.get(namespace))
                .filter(began -> !began.plus(PATIENCE).isAfter(now))
                .isPresent();
    }

    /** When the next one is not waited for any more. */
    Optional<Instant> next(Instant now) {
        return since.values().stream()
                .map(began -> began.plus(PATIENCE))
                .filter(end -> end.isAfter(now))
                .min(Instant::compareTo);
    }
}
