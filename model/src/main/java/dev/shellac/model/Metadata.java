package dev.shellac.model;

import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * What every object has. {@code resourceVersion} and {@code managedFields} are left out on purpose: they change when
 * nothing did.
 */
public record Metadata(
        Name name,
        String uid,
        long generation,
        Optional<Instant> created,
        Optional<Instant> deleted,
        Map<String, String> labels,
        Map<String, String> annotations) {
    // Gateway API: the oldest wins, then namespace/name in alphabetical order. An object that was never in a cluster
    // has
    // no time; it counts as newest, and two of them tie.
    private static final Comparator<Metadata> AGE = Comparator.<Metadata, Instant>comparing(
                    meta -> meta.created().orElse(Instant.MAX))
            .thenComparing(meta -> meta.name().toString());

    public Metadata {
        labels = Copies.of(labels);
        annotations = Copies.of(annotations);
    }

    public static Metadata named(String namespace, String name) {
        return new Metadata(new Name(namespace, name), "", 0, Optional.empty(), Optional.empty(), Map.of(), Map.of());
    }

    /** Oldest first; what an object says about another is settled by this order. */
    public static Comparator<Metadata> byAge() {
        return AGE;
    }
}
