package dev.shellac.cli.run;

import dev.shellac.cli.analysis.Problem;
import dev.shellac.decode.tree.Position;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Logs every line that {@code shellac check} would print once when it appears, and once when it is solved. For one thread. */
final class FindingsLog {
    private static final System.Logger LOG = System.getLogger(FindingsLog.class.getName());

    // Two places of a file may have the same fault.
    private record Key(Problem problem, int nth) {}

    private Map<Key, Problem> known = Map.of();

    /** What is wrong now. */
    void update(List<Problem> problems) {
        var now = new LinkedHashMap<Key, Problem>();
        var counts = new HashMap<Problem, Integer>();
        for (Problem problem : problems) {
            Problem anywhere = anywhere(problem);
            now.put(new Key(anywhere, counts.merge(anywhere, 1, Integer::sum)), problem);
        }
        now.forEach((key, problem) -> {
            if (!known.containsKey(key)) {
                LOG.log(level(problem), "{0}", problem);
            }
        });
        known.forEach((key, problem) -> {
            if (!now.containsKey(key)) {
                LOG.log(Level.INFO, "solved: {0}", problem);
            }
        });
        known = now;
    }

    // A line that moved because something was written above it is not another problem.
    private static Problem anywhere(Problem problem) {
        return new Problem(
                problem.severity(),
                Position.whole(problem.at().file()),
                problem.object(),
                problem.part(),
                problem.reason(),
                problem.message());
    }

    // What is on its way is nobody's mistake.
    private static Level level(Problem problem) {
        if (problem.reason().equals("Pending")) {
            return Level.INFO;
        }
        return switch (problem.severity()) {
            case ERROR -> Level.ERROR;
            case WARNING -> Level.WARNING;
            case NOTE -> Level.INFO;
        };
    }
}
