package dev.shellac.chaperone.edge;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * How the memory that haproxy.cfg names is shared by the processes.
 *
 * @param bytes of all together
 * @param connections of a process that is alone
 */
record EdgeBudget(long bytes, long connections) {
    private static final long MEBI = 1L << 20;
    private static final long CONNECTION = 52 * 1024;
    private static final long LEAST_CONNECTIONS = 64;
    /** A new process with the fewest connections. */
    private static final long PROCESS = 12 * MEBI;
    /** Where no limit is given. */
    private static final long USUAL = 256 * MEBI;

    private static final Pattern MEMORY = Pattern.compile("(?m)^ *presetenv EDGE_MEMORY ([0-9]{1,15})$");
    private static final Pattern CONNECTIONS = Pattern.compile("(?m)^ *maxconn ([0-9]{1,9})$");

    static EdgeBudget of(String config) {
        return new EdgeBudget(
                number(MEMORY, config).orElse(USUAL),
                number(CONNECTIONS, config).orElse(LEAST_CONNECTIONS));
    }

    private static OptionalLong number(Pattern pattern, String config) {
        Optional<MatchResult> found = pattern.matcher(config).results().findFirst();
        return found.isPresent() ? OptionalLong.of(Long.parseLong(found.get().group(1))) : OptionalLong.empty();
    }

    /**
     * Whether there is room for one more.
     *
     * @param taken by those that there are
     */
    boolean hasRoom(long taken) {
        return taken + PROCESS <= bytes;
    }

    /** The connections of the newest process beside others. */
    long connectionsBeside(long memoryOfOthers) {
        return Math.max(Math.min(LEAST_CONNECTIONS, connections), connections - memoryOfOthers / CONNECTION);
    }

    String refusal(int others, long taken) {
        return "waits until connections of " + others
                + " earlier HAProxy processes end, or are an hour old: with them, HAProxy takes " + taken / MEBI
                + " MiB of its " + bytes / MEBI + " MiB, and a new process takes " + PROCESS / MEBI;
    }
}
