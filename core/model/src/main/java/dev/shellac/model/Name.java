package dev.shellac.model;

/** Where an object is, once its kind is known. The namespace of a cluster-scoped object is the empty string. */
public record Name(String namespace, String name) implements Comparable<Name> {
    // Written out: thousands of these are sorted for every change.
    @Override
    public int compareTo(Name other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace == 0 ? name.compareTo(other.name) : byNamespace;
    }

    /** Not after any name in the namespace. */
    public static Name firstOf(String namespace) {
        return new Name(namespace, "");
    }

    /** After every name in the namespace, and not after any that comes behind them. */
    public static Name firstAfter(String namespace) {
        return new Name(namespace + '\0', "");
    }

    @Override
    public int hashCode() {
        return 31 * namespace.hashCode() + name.hashCode();
    }

    /** {@code namespace/name}, or the name alone. */
    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
