package dev.shellac.model;

import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * What every object has. {@code resourceVersion} and {@code managedFields} are left out on purpose: they change when
 * nothing did.
 *
 * @param decodeError why the object could not be read as it is now, for a value that is of another release than we are. All that is not
 *     needed to say so where its author looks is then what it last was, or nothing
 */
public record Metadata(
        Name name,
        String uid,
        long generation,
        Optional<Instant> created,
        Optional<Instant> deleted,
        Map<String, String> labels,
        Map<String, String> annotations,
        Optional<String> decodeError) {
    // Gateway API: the oldest wins, then namespace/name in alphabetical order. An object that was never in a cluster
    // has no time; it counts as newest, and two of them tie.
    private static final Comparator<Metadata> AGE = Comparator.<Metadata, Instant>comparing(
                    meta -> meta.created().orElse(Instant.MAX))
            .thenComparing(meta -> meta.name().toString());

    public Metadata {
        labels = Copies.of(labels);
        annotations = Copies.of(annotations);
    }

    public Metadata(
            Name name,
            String uid,
            long generation,
            Optional<Instant> created,
            Optional<Instant> deleted,
            Map<String, String> labels,
            Map<String, String> annotations) {
        this(name, uid, generation, created, deleted, labels, annotations, Optional.empty());
    }

    /** The same of an object that could not be read. */
    public Metadata withDecodeError(String why) {
        return new Metadata(name, uid, generation, created, deleted, labels, annotations, Optional.of(why));
    }

    /** The same without labels and annotations, which have no bound, of an object that could not be read. */
    public Metadata outline(String why) {
        return new Metadata(name, uid, generation, created, deleted, Map.of(), Map.of(), Optional.of(why));
    }

    public static Metadata named(String namespace, String name) {
        return new Metadata(new Name(namespace, name), "", 0, Optional.empty(), Optional.empty(), Map.of(), Map.of());
    }

    /** Oldest first; what an object says about another is settled by this order. */
    public static Comparator<Metadata> byAge() {
        return AGE;
    }
}
