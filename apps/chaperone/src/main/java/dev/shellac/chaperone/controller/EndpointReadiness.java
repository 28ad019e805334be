package dev.shellac.chaperone.controller;

import dev.shellac.chaperone.kube.Slices;
import dev.shellac.model.Name;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which Services' endpoints are known: those in a namespace that was listed, that have a slice. A controller makes one for each Service
 * soon after it, an empty one too; a Service without a selector never gets one, so the patience ends, and what is served without one is
 * not waited for again.
 */
final class EndpointReadiness {
    private final Duration patience;
    private final Map<Name, Instant> asked = new HashMap<>();

    EndpointReadiness(Duration patience) {
        this.patience = patience;
    }

    Predicate<Name> of(Slices slices, Predicate<Name> served, Instant now) {
        Set<Name> withSlices = slices.services();
        return service -> slices.listed().contains(service.namespace())
                && (withSlices.contains(service)
                        || served.test(service)
                        || !asked.computeIfAbsent(service, name -> now)
                                .plus(patience)
                                .isAfter(now));
    }

    /** When one of these is known without a slice. What nobody waits for is forgotten. */
    Optional<Instant> next(Set<Name> waitsFor) {
        asked.keySet().retainAll(waitsFor);
        return asked.values().stream().min(Instant::compareTo).map(first -> first.plus(patience));
    }
}
