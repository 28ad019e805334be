package dev.shellac.operator.children;

import dev.shellac.model.Copies;
import dev.shellac.model.Port;
import dev.shellac.translate.attach.PortLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which port has which place of a pool. A port keeps its place as long as it is there; a place that became free is taken last, because
 * connections of its former port may still be open.
 *
 * @param size of the pool: a multiple of 16, which grows and never shrinks, since a change of it restarts pods
 * @param freed the one that has been free for longest comes first
 */
record SlotPool(int size, Map<Port, Integer> taken, List<Integer> freed) {
    static final int STEP = PortLimit.SOCKETS_STEP;
    static final SlotPool NONE = new SlotPool(STEP, Map.of(), List.of());

    SlotPool {
        taken = Copies.of(taken);
        freed = List.copyOf(freed);
    }

    /** These ports, and no others. */
    SlotPool assign(Collection<Port> ports) {
        var next = new TreeMap<>(taken);
        next.keySet().retainAll(ports);
        var free = new ArrayList<>(freed);
        taken.forEach((port, slot) -> {
            if (!next.containsKey(port)) {
                free.add(slot);
            }
        });
        int grown = size;
        for (Port port : new TreeSet<>(ports)) {
            if (!next.containsKey(port)) {
                int slot = unused(next, free, grown);
                free.remove(Integer.valueOf(slot));
                next.put(port, slot);
                grown = Math.max(grown, (slot / STEP + 1) * STEP);
            }
        }
        return new SlotPool(grown, next, free);
    }

    private static int unused(Map<Port, Integer> taken, List<Integer> freed, int size) {
        return IntStream.range(0, size)
                .filter(slot -> !taken.containsValue(slot) && !freed.contains(slot))
                .findFirst()
                .orElseGet(() -> freed.isEmpty() ? size : freed.getFirst());
    }
}
