package dev.shellac.chaperone.edge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Processes that take no new connections and end with the last one that they have. */
final class LeavingProcesses {
    /** Before this, none is stopped to make room: its connections may be as young as its last second. */
    static final Duration LEAST = Duration.ofHours(1);

    /** What requests are given whose clients may not be trusted any more. */
    private static final Duration REVOKED = Duration.ofSeconds(10);

    /** The oldest first. */
    private List<Leaving> all = new ArrayList<>();

    private record Leaving(Haproxy.Running process, long since, Optional<Long> end) {
        Leaving revoked(long at) {
            return end.isPresent() ? this : new Leaving(process, since, Optional.of(at));
        }

        boolean isDue(long now) {
            return end.filter(at -> at - now <= 0).isPresent();
        }
    }

    void add(Haproxy.Running process) {
        process.leave();
        all.add(new Leaving(process, System.nanoTime(), Optional.empty()));
        sweep();
    }

    /** An authority of clients was taken back: connections that it has let in end soon, and with them all of these processes. */
    void revoke() {
        long at = System.nanoTime() + REVOKED.toNanos();
        all = new ArrayList<>(all.stream().map(leaving -> leaving.revoked(at)).toList());
    }

    /** Stops those that were revoked, when it is time; how long to wait for the next, or for something else. */
    Duration stopRevoked(Duration wait) {
        sweep();
        long now = System.nanoTime();
        all.stream()
                .filter(leaving -> leaving.isDue(now))
                .forEach(leaving -> leaving.process().stop());
        all.removeIf(leaving -> leaving.isDue(now));
        return all.stream()
                .flatMap(leaving -> leaving.end().stream())
                .map(at -> Duration.ofNanos(at - now))
                .filter(due -> due.compareTo(wait) < 0)
                .min(Duration::compareTo)
                .orElse(wait);
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

    /** Whether the oldest has been leaving for so long. */
    boolean isOldestOf(Duration least) {
        sweep();
        return !all.isEmpty() && System.nanoTime() - all.getFirst().since() >= least.toNanos();
    }

    /** Stops the oldest, if it has been leaving for long enough. */
    boolean stopOldest(Duration least) {
        if (!isOldestOf(least)) {
            return false;
        }
        all.removeFirst().process().stop();
        return true;
    }

    void stop() {
        all.forEach(leaving -> leaving.process().stop());
    }
}
