package dev.shellac.model;

import java.util.Comparator;

/** Where an object is, once its kind is known. The namespace of a cluster-scoped object is the empty string. */
public record Name(String namespace, String name) implements Comparable<Name> {
    private static final Comparator<Name> ORDER =
            Comparator.comparing(Name::namespace).thenComparing(Name::name);

    @Override
    public int compareTo(Name other) {
        return ORDER.compare(this, other);
    }

    /** {@code namespace/name}, or the name alone. */
    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
