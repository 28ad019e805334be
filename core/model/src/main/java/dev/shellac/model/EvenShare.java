package dev.shellac.model;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A bounded list of which each namespace has an even share: the first element of each namespace goes before the second of any, so that a namespace with thousands
 * hides nothing of another. What is in it depends on nothing but the order in which elements are added.
 *
 * <p>It never holds more elements than fit: the one with the highest number within its namespace makes room, and of several the last that was added.
 */
public final class EvenShare<T> {
    private record Entry<T>(int number, int added, T element) {}

    private static final Comparator<Entry<?>> ORDER =
            Comparator.<Entry<?>>comparingInt(Entry::number).thenComparingInt(Entry::added);

    private final int most;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final PriorityQueue<Entry<T>> last = new PriorityQueue<>(ORDER.reversed());
    private int added;

    public EvenShare(int most) {
        this.most = most;
    }

    public void add(String namespace, T element) {
        last.add(new Entry<>(numbers.merge(namespace, 1, Integer::sum), added++, element));
        if (last.size() > most) {
            last.remove();
        }
    }

    /** The first element of each namespace, then the second of each, and so on. */
    public List<T> elements() {
        return last.stream().sorted(ORDER).map(Entry::element).toList();
    }
}
