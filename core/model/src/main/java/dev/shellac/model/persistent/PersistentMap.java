package dev.shellac.model.persistent;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map that never changes. A copy with one entry more, less or changed costs as much as the way to that entry, and
 * shares the rest.
 *
 * @param <K> of one order; maps of different orders are compared as any maps are
 */
public final class PersistentMap<K, V> extends AbstractMap<K, V> {
    private final Comparator<? super K> order;
    private final @Nullable Node<K, V> root;

    PersistentMap(Comparator<? super K> order, @Nullable Node<K, V> root) {
        this.order = order;
        this.root = root;
    }

    public static <K extends Comparable<? super K>, V> PersistentMap<K, V> empty() {
        return empty(Comparator.naturalOrder());
    }

    public static <K, V> PersistentMap<K, V> empty(Comparator<? super K> order) {
        return new PersistentMap<>(order, null);
    }

    /** The map itself, if it is one of these already. */
    public static <K extends Comparable<? super K>, V> PersistentMap<K, V> of(Map<K, V> map) {
        if (map instanceof PersistentMap<K, V> persistent && persistent.order.equals(Comparator.<K>naturalOrder())) {
            return persistent;
        }
        return sorted(new TreeMap<>(map), Comparator.naturalOrder());
    }

    /** By a key that is in each value; of two values with one key, the later one stays. */
    public static <K extends Comparable<? super K>, V> PersistentMap<K, V> of(
            Collection<? extends V> values, Function<? super V, ? extends K> key) {
        return of(values, key, Comparator.naturalOrder());
    }

    public static <K, V> PersistentMap<K, V> of(
            Collection<? extends V> values, Function<? super V, ? extends K> key, Comparator<? super K> order) {
        var map = new TreeMap<K, V>(order);
        values.forEach(value -> map.put(key.apply(value), value));
        return sorted(map, order);
    }

    private static <K, V> PersistentMap<K, V> sorted(SortedMap<K, V> map, Comparator<? super K> order) {
        var entries = new ArrayList<Node<K, V>>(map.size());
        map.forEach((key, value) -> entries.add(new Node<>(key, value, null, null)));
        return new PersistentMap<>(order, Node.of(entries, 0, entries.size()));
    }

    public PersistentMap<K, V> with(K key, V value) {
        Node<K, V> next = Node.put(root, key, value, order);
        return next == root ? this : new PersistentMap<>(order, next);
    }

    public PersistentMap<K, V> without(K key) {
        Node<K, V> next = Node.remove(root, key, order);
        return next == root ? this : new PersistentMap<>(order, next);
    }

    /** What must happen to {@code before} to make it this map, in order. Both must have the same order. */
    public List<Change<K, V>> changesSince(PersistentMap<K, V> before) {
        return Differences.between(before.root, root, order);
    }

    /** The entries with keys from one to another, the last not included. */
    public List<Entry<K, V>> between(K from, K to) {
        var found = new ArrayList<Entry<K, V>>();
        collect(root, from, to, found);
        return found;
    }

    private void collect(@Nullable Node<K, V> node, K from, K to, List<Entry<K, V>> found) {
        if (node == null) {
            return;
        }
        boolean begun = order.compare(from, node.key) <= 0;
        boolean ended = order.compare(to, node.key) <= 0;
        if (begun) {
            collect(node.left, from, to, found);
        }
        if (begun && !ended) {
            found.add(Map.entry(node.key, node.value));
        }
        if (!ended) {
            collect(node.right, from, to, found);
        }
    }

    /** The entries with keys from this one on. */
    public List<Entry<K, V>> from(K from) {
        var found = new ArrayList<Entry<K, V>>();
        collect(root, from, found);
        return found;
    }

    private void collect(@Nullable Node<K, V> node, K from, List<Entry<K, V>> found) {
        if (node == null) {
            return;
        }
        boolean begun = order.compare(from, node.key) <= 0;
        if (begun) {
            collect(node.left, from, found);
            found.add(Map.entry(node.key, node.value));
        }
        collect(node.right, from, found);
    }

    /** The value of the greatest key that is less than this one. */
    public Optional<V> lower(K key) {
        Node<K, V> found = null;
        Node<K, V> node = root;
        while (node != null) {
            boolean fits = order.compare(node.key, key) < 0;
            found = fits ? node : found;
            node = fits ? node.right : node.left;
        }
        return Optional.ofNullable(found).map(entry -> entry.value);
    }

    /** The value of the least key that is greater than this one. */
    public Optional<V> higher(K key) {
        Node<K, V> found = null;
        Node<K, V> node = root;
        while (node != null) {
            boolean fits = order.compare(node.key, key) > 0;
            found = fits ? node : found;
            node = fits ? node.left : node.right;
        }
        return Optional.ofNullable(found).map(entry -> entry.value);
    }

    @Override
    public @Nullable V get(@Nullable Object key) {
        Node<K, V> found = find(key);
        return found == null ? null : found.value;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return find(key) != null;
    }

    @SuppressWarnings("unchecked") // as any sorted map: a key of another type is the caller's mistake
    private @Nullable Node<K, V> find(@Nullable Object key) {
        return key == null ? null : Node.find(root, (K) key, order);
    }

    @Override
    public int size() {
        return Node.size(root);
    }

    /** The longest way to an entry, for tests. */
    int depth() {
        return depth(root);
    }

    private static int depth(@Nullable Node<?, ?> node) {
        return node == null ? 0 : 1 + Math.max(depth(node.left), depth(node.right));
    }

    /** The values in order of their keys. */
    @Override
    public PersistentList<V> values() {
        return new PersistentList<>(PersistentList.Keys.OF_A_MAP, order, root);
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        forEach(root, action);
    }

    private static <K, V> void forEach(@Nullable Node<K, V> node, BiConsumer<? super K, ? super V> action) {
        if (node != null) {
            forEach(node.left, action);
            action.accept(node.key, node.value);
            forEach(node.right, action);
        }
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<K, V>> iterator() {
                return new Entries<>(root, node -> Map.entry(node.key, node.value));
            }

            @Override
            public int size() {
                return Node.size(root);
            }
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (other instanceof PersistentMap<?, ?> persistent && persistent.order.equals(order)) {
            @SuppressWarnings("unchecked") // keys that one order compares are of one type
            PersistentMap<K, V> same = (PersistentMap<K, V>) persistent;
            return size() == same.size() && changesSince(same).isEmpty();
        }
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
