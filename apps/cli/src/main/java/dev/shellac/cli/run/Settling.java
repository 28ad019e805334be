package dev.shellac.cli.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Holds changes back until the folder is quiet. A copy, an editor and a checkout write in several steps, and half of a file can be
 * valid: it must not be served. Whoever never stops writing is read once in a while all the same. A file that is gone may be on its
 * way back, as in {@code rm} and {@code cp}; it counts as gone after a second. For one thread.
 */
final class Settling {
    static final Duration QUIET = Duration.ofMillis(100);
    static final Duration LONGEST = Duration.ofSeconds(1);
    static final Duration ABSENCE = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofDays(1);

    private final Predicate<Path> exists;
    private final Map<Path, Long> waiting = new LinkedHashMap<>();
    private final Map<Path, Long> absent = new LinkedHashMap<>();
    /** Absent for long enough, as of the last look. */
    private final Set<Path> gone = new HashSet<>();

    private long first;
    private long last;

    Settling() {
        this(Files::exists);
    }

    Settling(Predicate<Path> exists) {
        this.exists = exists;
    }

    /** These changed just now. */
    void changed(Collection<Path> paths, long nanoTime) {
        if (paths.isEmpty()) {
            return;
        }
        if (waiting.isEmpty()) {
            first = nanoTime;
        }
        last = nanoTime;
        paths.forEach(path -> waiting.put(path, nanoTime));
    }

    /** How long to wait at most before {@link #settled} is to be asked. */
    Duration due(long nanoTime) {
        long quiet = waiting.isEmpty()
                ? NEVER.toNanos()
                : Math.min(last + QUIET.toNanos(), first + LONGEST.toNanos()) - nanoTime;
        long back = absent.values().stream()
                .mapToLong(since -> since + ABSENCE.toNanos() - nanoTime)
                .min()
                .orElse(NEVER.toNanos());
        return Duration.ofNanos(Math.max(0, Math.min(quiet, back)));
    }

    /** What can be read now. */
    Set<Path> settled(long nanoTime) {
        var settled = new LinkedHashSet<Path>();
        boolean quiet = nanoTime - last >= QUIET.toNanos() || nanoTime - first >= LONGEST.toNanos();
        if (!waiting.isEmpty() && quiet) {
            waiting.forEach((path, since) -> {
                if (exists.test(path)) {
                    absent.remove(path);
                    settled.add(path);
                } else {
                    absent.putIfAbsent(path, since);
                }
            });
            waiting.clear();
        }
        gone.clear();
        absent.entrySet().removeIf(missing -> {
            boolean over = nanoTime - missing.getValue() >= ABSENCE.toNanos();
            // One that is back is among those that changed, or will be.
            if (over && !exists.test(missing.getKey())) {
                gone.add(missing.getKey());
            }
            return over;
        });
        settled.addAll(gone);
        return settled;
    }

    /** Whether a file is gone that a reading of its folder finds missing. If it is not yet, {@link #settled} names it when it is. */
    boolean isGone(Path file, long nanoTime) {
        if (gone.stream().anyMatch(file::startsWith)) {
            return true;
        }
        absent.putIfAbsent(file, nanoTime);
        return false;
    }
}
