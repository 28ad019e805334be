package dev.shellac.cli.run;

import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Says each finding once, and not before it lasted: a file that is being written is wrong for a moment. */
final class FindingsLog {
    private static final System.Logger LOG = System.getLogger(FindingsLog.class.getName());
    private static final Duration LASTING = Duration.ofMillis(200);

    private final Map<Finding, Long> waiting = new LinkedHashMap<>();
    private final Set<Finding> said = new HashSet<>();

    /** What is wrong now; says what is due and how soon the next is, or a long time. */
    Duration update(Collection<Finding> findings, long nanoTime) {
        var now = new HashSet<>(findings);
        waiting.keySet().retainAll(now);
        if (said.retainAll(now) && now.stream().noneMatch(finding -> finding.severity() == Severity.ERROR)) {
            LOG.log(Level.INFO, "no file is wrong any more");
        }
        for (Finding finding : findings) {
            if (!said.contains(finding)) {
                waiting.putIfAbsent(finding, nanoTime);
            }
        }
        long next = Long.MAX_VALUE;
        for (Map.Entry<Finding, Long> entry : Map.copyOf(waiting).entrySet()) {
            long left = entry.getValue() + LASTING.toNanos() - nanoTime;
            if (left <= 0) {
                waiting.remove(entry.getKey());
                said.add(entry.getKey());
                LOG.log(level(entry.getKey().severity()), "{0}", entry.getKey());
            } else {
                next = Math.min(next, left);
            }
        }
        return next == Long.MAX_VALUE ? Duration.ofDays(1) : Duration.ofNanos(next);
    }

    private static Level level(Severity severity) {
        return switch (severity) {
            case ERROR -> Level.ERROR;
            case WARNING -> Level.WARNING;
            case NOTE -> Level.DEBUG;
        };
    }
}
