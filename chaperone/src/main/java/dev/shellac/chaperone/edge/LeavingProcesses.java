package dev.shellac.chaperone.edge;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Processes that take no new connections and end with the last one that they have. */
final class LeavingProcesses {
    /** Before this, none is stopped: its connections may be as young as its last second. */
    static final Duration LEAST = Duration.ofHours(1);

    private final Deque<Leaving> all = new ArrayDeque<>();

    private record Leaving(Haproxy.Running process, long since) {}

    void add(Haproxy.Running process) {
        process.leave();
        all.addLast(new Leaving(process, System.nanoTime()));
        sweep();
    }

    /** Those that are gone are forgotten. */
    void sweep() {
        all.removeIf(leaving -> !leaving.process().isAlive());
    }

    int count() {
        sweep();
        return all.size();
    }

    long memory() {
        sweep();
        return all.stream().mapToLong(leaving -> leaving.process().memory()).sum();
    }

    /** Stops the oldest, if its connections are old enough. */
    boolean stopOldest() {
        sweep();
        Leaving oldest = all.peekFirst();
        if (oldest == null || System.nanoTime() - oldest.since() < LEAST.toNanos()) {
            return false;
        }
        all.removeFirst();
        oldest.process().stop();
        return true;
    }

    void stop() {
        all.forEach(leaving -> leaving.process().stop());
    }
}
