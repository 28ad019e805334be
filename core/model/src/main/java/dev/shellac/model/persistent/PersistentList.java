package dev.shellac.model.persistent;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The values of a {@link PersistentMap} in the order of their keys. Compared as any list is, but what two of them share is not
 * looked into.
 */
public final class PersistentList<V> extends AbstractList<V> implements RandomAccess {
    /** Whether a value can be put into the list, or its key is known to a map alone. */
    enum Keys {
        THE_VALUES,
        OF_A_MAP
    }

    private final Keys keys;
    private final Comparator<?> order;
    private final @Nullable Node<?, V> root;

    PersistentList(Keys keys, Comparator<?> order, @Nullable Node<?, V> root) {
        this.keys = keys;
        this.order = order;
        this.root = root;
    }

    /** Values that are their own keys; of two that the order does not tell apart, the later one stays. */
    public static <V> PersistentList<V> of(Comparator<? super V> order, Collection<? extends V> values) {
        var map = PersistentMap.<V, V>of(values, value -> value, order);
        return new PersistentList<>(Keys.THE_VALUES, order, map.values().root);
    }

    /** With this value at its place, instead of one that the order does not tell from it. */
    public PersistentList<V> with(V value) {
        return new PersistentList<>(Keys.THE_VALUES, order, Node.put(ownRoot(), value, value, ownOrder()));
    }

    public PersistentList<V> without(V value) {
        return new PersistentList<>(Keys.THE_VALUES, order, Node.remove(ownRoot(), value, ownOrder()));
    }

    @SuppressWarnings("unchecked") // checked: the keys are the values
    private @Nullable Node<V, V> ownRoot() {
        if (keys == Keys.OF_A_MAP) {
            throw new UnsupportedOperationException("change the map instead, this list does not know its keys");
        }
        return (Node<V, V>) root;
    }

    @SuppressWarnings("unchecked") // the order of values that are keys is an order of values
    private Comparator<? super V> ownOrder() {
        return (Comparator<? super V>) order;
    }

    /** What must happen to {@code before} to make it this list. Values are the same or not by their place in the order. */
    @SuppressWarnings("unchecked") // the keys of both are compared by the one order
    public List<Change<Object, V>> changesSince(PersistentList<V> before) {
        if (before.order.equals(order)) {
            return Differences.between(
                    (Node<Object, V>) before.root, (Node<Object, V>) root, (Comparator<Object>) order);
        }
        var changes = new ArrayList<Change<Object, V>>();
        before.forEach(value -> changes.add(new Change<>(value, Optional.of(value), Optional.empty())));
        forEach(value -> changes.add(new Change<>(value, Optional.empty(), Optional.of(value))));
        return changes;
    }

    @Override
    public V get(int index) {
        Objects.checkIndex(index, size());
        return Node.at(Objects.requireNonNull(root), index).value;
    }

    @Override
    public int size() {
        return Node.size(root);
    }

    @Override
    public Iterator<V> iterator() {
        return values(root);
    }

    private static <K, V> Iterator<V> values(@Nullable Node<K, V> root) {
        return new Entries<>(root, node -> node.value);
    }

    @Override
    @SuppressWarnings("unchecked") // only values are compared
    public boolean equals(@Nullable Object other) {
        if (other instanceof PersistentList<?> persistent) {
            return Differences.sameValues((Node<Object, Object>) root, (Node<Object, Object>) persistent.root);
        }
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
