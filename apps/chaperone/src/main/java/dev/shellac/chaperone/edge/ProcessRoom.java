package dev.shellac.chaperone.edge;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Room in the edge's memory for one more process. Where there is none, the change waits for those that leave, and stops nobody whose
 * connections may be younger than an hour. The process that serves gives way last: when the change has waited for an hour, or at once where
 * an authority of clients was taken back, which must not be trusted for as long.
 */
final class ProcessRoom {
    private static final System.Logger LOG = System.getLogger(ProcessRoom.class.getName());
    private static final Duration LONGEST_WAIT = LeavingProcesses.LEAST;
    /** For the requests of a process that gives way while its successor has no room. */
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Pattern IN_FLIGHT = Pattern.compile("conn_cur=([0-9]+)");

    private final Haproxy program;
    private final LeavingProcesses leaving;
    private OptionalLong waitsSince = OptionalLong.empty();

    ProcessRoom(Haproxy program, LeavingProcesses leaving) {
        this.program = program;
        this.leaving = leaving;
    }

    /** A process was started, or no change waits: the next waits anew. */
    void reset() {
        waitsSince = OptionalLong.empty();
    }

    /** Whether it has room now only if a process is stopped. */
    boolean costsAnother(HaproxyRelease asked, EdgeChange.Kind kind, Haproxy.Running serving) {
        return !EdgeBudget.of(asked.config())
                        .hasRoom(
                                leaving.memory() + serving.memory(),
                                asked.certificates().size())
                && (kind == EdgeChange.Kind.REVOCATION || leaving.isOldestOf(LeavingProcesses.LEAST) || !isEarly());
    }

    /**
     * Makes room.
     *
     * @param serving is stopped if there is no other way; who goes on finds it gone
     * @return why the change waits, if it does
     */
    Optional<String> make(HaproxyRelease asked, EdgeChange.Kind kind, Haproxy.Running serving)
            throws IOException, InterruptedException {
        EdgeBudget budget = EdgeBudget.of(asked.config());
        int certificates = asked.certificates().size();
        boolean isUrgent = kind == EdgeChange.Kind.REVOCATION;
        while (!budget.hasRoom(leaving.memory() + serving.memory(), certificates)) {
            if (leaving.stopOldest(isUrgent ? Duration.ZERO : LeavingProcesses.LEAST)) {
                continue;
            }
            if (!isUrgent && isEarly()) {
                return Optional.of(budget.refusal(leaving.count(), leaving.memory() + serving.memory(), certificates));
            }
            LOG.log(Level.WARNING, "haproxy gives way before its successor starts, for want of memory");
            drain();
            serving.stop();
            return Optional.empty();
        }
        return Optional.empty();
    }

    private boolean isEarly() {
        long now = System.nanoTime();
        if (waitsSince.isEmpty()) {
            waitsSince = OptionalLong.of(now);
        }
        return now - waitsSince.getAsLong() < LONGEST_WAIT.toNanos();
    }

    // New connections wait in the kernel, and those that are there end with their answer.
    private void drain() throws IOException, InterruptedException {
        SharedConnections.set(program, 1);
        long end = System.nanoTime() + DRAIN.toNanos();
        while (inFlight() > 0 && System.nanoTime() < end) {
            Thread.sleep(LOOK);
        }
    }

    private long inFlight() throws IOException {
        Matcher found = IN_FLIGHT.matcher(program.ask("show table requests"));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }
}
