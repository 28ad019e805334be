package dev.shellac.varnishconfig.table;

import dev.shellac.model.Port;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which public ports each socket of varnishd serves. A socket without a port is free. */
public record SocketMap(SortedMap<String, SortedSet<Port>> ports) {
    public SocketMap {
        var copy = new TreeMap<String, SortedSet<Port>>();
        ports.forEach((socket, served) -> copy.put(socket, Collections.unmodifiableSortedSet(new TreeSet<>(served))));
        ports = Collections.unmodifiableSortedMap(copy);
    }

    public static SocketMap of(Map<String, Set<Port>> ports) {
        var sorted = new TreeMap<String, SortedSet<Port>>();
        ports.forEach((socket, served) -> sorted.put(socket, new TreeSet<>(served)));
        return new SocketMap(sorted);
    }
}
