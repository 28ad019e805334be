package dev.shellac.chaperone.controller;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How a pod ends without a failed request: it says that it is not ready and goes on serving until that is known everywhere; then each
 * answer closes its connection; and when nobody is left, or the time is up, it stops.
 */
public final class Drain {
    private static final System.Logger LOG = System.getLogger(Drain.class.getName());
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final int UNKNOWN = 5;
    private static final Pattern SESSIONS = Pattern.compile("MEMPOOL\\.sess[0-9]+\\.live");
    private static final Pattern REQUESTS = Pattern.compile("MEMPOOL\\.req[0-9]+\\.live");
    // Who keeps a connection and asks nothing for so long is not waited for.
    private static final Duration QUIET = Duration.ofSeconds(3);

    private final PodController controller;
    private final Edge edge;
    private final Timing timing;
    private volatile boolean draining;

    public Drain(PodController controller, Edge edge, Timing timing) {
        this.controller = controller;
        this.edge = edge;
        this.timing = timing;
    }

    public boolean isDraining() {
        return draining;
    }

    /** Returns when nobody is served any more. */
    public void finish() throws InterruptedException {
        draining = true;
        LOG.log(
                Level.INFO,
                "draining: not ready, serving on for {0} ms",
                String.valueOf(timing.drainDelay().toMillis()));
        Thread.sleep(timing.drainDelay());
        controller.turnAway();
        edge.turnAway();
        long deadline = System.nanoTime() + timing.drainMost().toNanos();
        long busy = System.nanoTime();
        int unknown = 0;
        long left = 1;
        while ((left > 0 || !edge.isEmpty())
                && unknown < UNKNOWN
                && System.nanoTime() < deadline
                && System.nanoTime() - busy < QUIET.toNanos()) {
            Thread.sleep(LOOK);
            try {
                Map<String, Long> counters = controller.varnish().isEmpty()
                        ? Map.of()
                        : controller.varnish().get().counters();
                left = live(counters, SESSIONS);
                busy = live(counters, REQUESTS) > 0 ? System.nanoTime() : busy;
                unknown = 0;
            } catch (IOException e) {
                unknown++;
                LOG.log(Level.DEBUG, "varnishd''s sessions are not known: {0}", e.getMessage());
            }
        }
        LOG.log(Level.INFO, "drained; {0} sessions are left", String.valueOf(left));
    }

    // What is in the pools: varnishd does not count sessions as closed that a client left while nothing was asked. One
    // that only waits has no request.
    private static long live(Map<String, Long> counters, Pattern pool) {
        return counters.entrySet().stream()
                .filter(counter -> pool.matcher(counter.getKey()).matches())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
