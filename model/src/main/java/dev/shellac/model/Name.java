package dev.shellac.model;

/** Where an object is, once its kind is known. The namespace of a cluster-scoped object is the empty string. */
public record Name(String namespace, String name) implements Comparable<Name> {
    // Written out: thousands of these are sorted for every change.
    @Override
    public int compareTo(Name other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace == 0 ? name.compareTo(other.name) : byNamespace;
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
