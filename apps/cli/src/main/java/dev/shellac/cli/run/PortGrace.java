package dev.shellac.cli.run;

import dev.shellac.model.Name;
import dev.shellac.model.Port;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Keeps ports open for a moment after their Gateway has lost them. Half of a file can be a valid Gateway with fewer listeners, and closing a port
 * starts varnishd anew: its cache would be lost for what somebody was still writing. A Gateway that gets another port starts anew
 * anyway, and a port that another Gateway asks for is given up at once. For one thread.
 */
final class PortGrace {
    private final Map<Name, SortedSet<Port>> open = new HashMap<>();
    private final Map<Name, Long> since = new HashMap<>();

    /** The ports that each Gateway is to have, of those that it asks for. */
    Map<Name, SortedSet<Port>> extend(Map<Name, SortedSet<Port>> wanted, long nanoTime) {
        open.keySet().retainAll(wanted.keySet());
        since.keySet().retainAll(wanted.keySet());
        wanted.forEach((gateway, ports) -> {
            SortedSet<Port> before = Optional.ofNullable(open.get(gateway)).orElse(ports);
            boolean loses = before.containsAll(ports) && before.size() > ports.size();
            if (!loses || nanoTime - since.computeIfAbsent(gateway, name -> nanoTime) >= Settling.ABSENCE.toNanos()) {
                since.remove(gateway);
                open.put(gateway, ports);
                return;
            }
            var kept = new TreeSet<>(before);
            kept.removeIf(port -> !ports.contains(port) && isWanted(port, wanted.values()));
            open.put(gateway, kept);
        });
        return Map.copyOf(open);
    }

    private static boolean isWanted(Port port, Collection<SortedSet<Port>> wanted) {
        return wanted.stream().anyMatch(ports -> ports.contains(port));
    }

    /** Whether nothing is kept open. */
    boolean isEmpty() {
        return since.isEmpty();
    }

    /** Whether {@link #extend} would now give a port up. */
    boolean isOver(long nanoTime) {
        return since.values().stream().anyMatch(start -> nanoTime - start >= Settling.ABSENCE.toNanos());
    }
}
