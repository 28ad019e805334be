package dev.shellac.model;

import java.util.Comparator;

/** One object among all: what it is and where. */
public record ResourceId(GroupKind type, Name name) implements Comparable<ResourceId> {
    private static final Comparator<ResourceId> ORDER =
            Comparator.comparing(ResourceId::type).thenComparing(ResourceId::name);

    public static ResourceId of(GroupKind type, String namespace, String name) {
        return new ResourceId(type, new Name(namespace, name));
    }

    public String namespace() {
        return name.namespace();
    }

    @Override
    public int compareTo(ResourceId other) {
        return ORDER.compare(this, other);
    }

    /** As a person would say it: {@code HTTPRoute shop/cart}. */
    @Override
    public String toString() {
        return type.kind() + " " + name;
    }
}
