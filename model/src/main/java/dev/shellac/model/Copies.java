package dev.shellac.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Immutable copies of maps, in order of their keys: {@code Map.copyOf} iterates in an order that changes by run. */
public final class Copies {
    private Copies() {}

    public static <K extends Comparable<K>, V> SortedMap<K, V> of(Map<K, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
