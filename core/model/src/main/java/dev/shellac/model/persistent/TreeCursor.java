package dev.shellac.model.persistent;

import org.jspecify.annotations.Nullable;

/**
 * What is left of a tree, in order: a subtree whose entries all come next, or one entry, and then the rest. Two walks can skip a subtree
 * that both come to.
 */
record TreeCursor<K, V>(
        Node<K, V> node, boolean isWhole, @Nullable TreeCursor<K, V> rest) {
    static <K, V> @Nullable TreeCursor<K, V> over(@Nullable Node<K, V> root) {
        return before(root, null);
    }

    int size() {
        return isWhole ? node.size : 1;
    }

    /** The same entries, the first subtree taken apart. */
    TreeCursor<K, V> opened() {
        var entry = new TreeCursor<>(node, false, before(node.right, rest));
        return node.left == null ? entry : new TreeCursor<>(node.left, true, entry);
    }

    private static <K, V> @Nullable TreeCursor<K, V> before(
            @Nullable Node<K, V> node, @Nullable TreeCursor<K, V> rest) {
        return node == null ? rest : new TreeCursor<>(node, true, rest);
    }
}
