package dev.shellac.model.shared;

import org.jspecify.annotations.Nullable;

/**
 * What is left of a tree, in order: a subtree whose entries all come next, or one entry, and then the rest. Two walks can skip a subtree
 * that both come to.
 */
record Walk<K, V>(
        Node<K, V> node, boolean isWhole, @Nullable Walk<K, V> rest) {
    static <K, V> @Nullable Walk<K, V> over(@Nullable Node<K, V> root) {
        return before(root, null);
    }

    int size() {
        return isWhole ? node.size : 1;
    }

    /** The same entries, the first subtree taken apart. */
    Walk<K, V> opened() {
        var entry = new Walk<>(node, false, before(node.right, rest));
        return node.left == null ? entry : new Walk<>(node.left, true, entry);
    }

    private static <K, V> @Nullable Walk<K, V> before(@Nullable Node<K, V> node, @Nullable Walk<K, V> rest) {
        return node == null ? rest : new Walk<>(node, true, rest);
    }
}
