package dev.shellac.model.persistent;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A weight-balanced search tree (Adams; with the bounds 3 and 2, which Hirai and Yamamoto proved sound). No subtree is more than three
 * times as heavy as its sibling, so the depth stays logarithmic whatever the keys are: a tree ordered by hashes of keys
 * would have one shape for one content, but whoever chooses the keys could make it a list.
 */
@SuppressWarnings("ReferenceEquality") // to share is to be the same object
final class Node<K, V> {
    private static final int HEAVY = 3;
    private static final int SINGLE = 2;

    final K key;
    final V value;
    final @Nullable Node<K, V> left;
    final @Nullable Node<K, V> right;
    final int size;

    Node(K key, V value, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        this.key = key;
        this.value = value;
        this.left = left;
        this.right = right;
        this.size = 1 + size(left) + size(right);
    }

    static int size(@Nullable Node<?, ?> node) {
        return node == null ? 0 : node.size;
    }

    static <K, V> @Nullable Node<K, V> find(@Nullable Node<K, V> root, K key, Comparator<? super K> order) {
        Node<K, V> node = root;
        while (node != null) {
            int side = order.compare(key, node.key);
            if (side == 0) {
                return node;
            }
            node = side < 0 ? node.left : node.right;
        }
        return null;
    }

    static <K, V> Node<K, V> at(Node<K, V> root, int index) {
        Node<K, V> node = root;
        int rest = index;
        while (true) {
            int before = size(node.left);
            if (rest == before) {
                return node;
            }
            Node<K, V> next = rest < before ? node.left : node.right;
            if (next == null) {
                throw new IndexOutOfBoundsException(index);
            }
            rest = rest < before ? rest : rest - before - 1;
            node = next;
        }
    }

    /** The same node where the value is the same object. */
    static <K, V> Node<K, V> put(@Nullable Node<K, V> node, K key, V value, Comparator<? super K> order) {
        if (node == null) {
            return new Node<>(key, value, null, null);
        }
        int side = order.compare(key, node.key);
        if (side == 0) {
            return node.value == value ? node : new Node<>(key, value, node.left, node.right);
        }
        if (side < 0) {
            Node<K, V> next = put(node.left, key, value, order);
            return next == node.left ? node : balanced(node, next, node.right);
        }
        Node<K, V> next = put(node.right, key, value, order);
        return next == node.right ? node : balanced(node, node.left, next);
    }

    /** The same node where the key is not there. */
    static <K, V> @Nullable Node<K, V> remove(@Nullable Node<K, V> node, K key, Comparator<? super K> order) {
        if (node == null) {
            return null;
        }
        int side = order.compare(key, node.key);
        if (side == 0) {
            return joined(node.left, node.right);
        }
        if (side < 0) {
            Node<K, V> next = remove(node.left, key, order);
            return next == node.left ? node : balanced(node, next, node.right);
        }
        Node<K, V> next = remove(node.right, key, order);
        return next == node.right ? node : balanced(node, node.left, next);
    }

    /** A tree of entries that are in order already. */
    static <K, V> @Nullable Node<K, V> of(List<Node<K, V>> sorted, int from, int to) {
        if (from == to) {
            return null;
        }
        int middle = (from + to) >>> 1;
        Node<K, V> found = sorted.get(middle);
        return new Node<>(found.key, found.value, of(sorted, from, middle), of(sorted, middle + 1, to));
    }

    private static <K, V> @Nullable Node<K, V> joined(@Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        if (left.size > right.size) {
            Node<K, V> last = at(left, left.size - 1);
            return balanced(last, withoutLast(left), right);
        }
        return balanced(at(right, 0), left, withoutFirst(right));
    }

    private static <K, V> @Nullable Node<K, V> withoutFirst(Node<K, V> node) {
        return node.left == null ? node.right : balanced(node, withoutFirst(node.left), node.right);
    }

    private static <K, V> @Nullable Node<K, V> withoutLast(Node<K, V> node) {
        return node.right == null ? node.left : balanced(node, node.left, withoutLast(node.right));
    }

    // One side is heavier by at most one entry than it was when both were in balance.
    private static <K, V> Node<K, V> balanced(
            Node<K, V> middle, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        if (right != null && isTooHeavy(right, left)) {
            return size(right.left) < SINGLE * size(right.right) || right.left == null
                    ? over(right, over(middle, left, right.left), right.right)
                    : over(right.left, over(middle, left, right.left.left), over(right, right.left.right, right.right));
        }
        if (left != null && isTooHeavy(left, right)) {
            return size(left.right) < SINGLE * size(left.left) || left.right == null
                    ? over(left, left.left, over(middle, left.right, right))
                    : over(left.right, over(left, left.left, left.right.left), over(middle, left.right.right, right));
        }
        return over(middle, left, right);
    }

    private static boolean isTooHeavy(@Nullable Node<?, ?> one, @Nullable Node<?, ?> other) {
        return size(one) + size(other) > 1 && size(one) > HEAVY * size(other);
    }

    private static <K, V> Node<K, V> over(Node<K, V> entry, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        return new Node<>(entry.key, entry.value, left, right);
    }
}
