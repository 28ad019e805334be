package dev.shellac.model;

import dev.shellac.model.persistent.PersistentMap;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Immutable copies of maps, in order of their keys: {@code Map.copyOf} iterates in an order that changes by run. */
public final class Copies {
    private Copies() {}

    /** A map that shares what it holds with others stays the one that it is. */
    public static <K extends Comparable<K>, V> Map<K, V> of(Map<K, V> map) {
        return map instanceof PersistentMap<K, V> ? map : Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
