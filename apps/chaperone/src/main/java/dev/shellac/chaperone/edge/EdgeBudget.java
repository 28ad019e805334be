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
    /** A new process with the fewest connections, and no certificate. */
    private static final long PROCESS = 12 * MEBI;
    /** As the operator counts it: 23 KiB were measured. */
    private static final long CERTIFICATE = 32 * 1024;
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
     * @param certificates of the new one
     */
    boolean hasRoom(long taken, int certificates) {
        return taken + process(certificates) <= bytes;
    }

    private static long process(int certificates) {
        return PROCESS + certificates * CERTIFICATE;
    }

    /** The connections of the newest process beside others. */
    long connectionsBeside(long memoryOfOthers) {
        return Math.max(Math.min(LEAST_CONNECTIONS, connections), connections - memoryOfOthers / CONNECTION);
    }

    /** Why a new process waits; without others, for the one that serves. */
    String refusal(int others, long taken, int certificates) {
        String until = others == 0
                ? "waits until HAProxy takes less memory, for an hour at most: it takes "
                : "waits until connections of " + others
                        + " earlier HAProxy processes end, or are an hour old: with them, HAProxy takes ";
        return until + taken / MEBI + " MiB of its " + bytes / MEBI + " MiB, and a new process with " + certificates
                + " certificates takes " + process(certificates) / MEBI
                + "; a larger memory limit has room for both";
    }
}
