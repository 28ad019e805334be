package dev.shellac.operator;

import dev.shellac.operator.controller.GatewayController;
import dev.shellac.operator.controller.Inbox;
import dev.shellac.operator.http.OperatorMetrics;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Turn after turn until it is stopped. One that ends in a fault of ours is counted and said, and after a pause all that is known is looked at as
 * if it were new. Gateways serve what they have meanwhile. When that does not help several times, a new process might.
 */
final class ReconcileRunner {
    private static final System.Logger LOG = System.getLogger(ReconcileRunner.class.getName());

    private static final Duration GATHERED_WITHIN = Duration.ofMinutes(1);
    private static final Duration GATHERS_EVERY = Duration.ofMillis(100);

    /**
     * How long a fault is put up with.
     *
     * @param first pause; each next one is twice as long
     * @param most faults in a row: the last of them ends it
     */
    record Patience(Duration first, Duration longest, int most) {
        /** Two minutes: whoever scrapes metrics each half a minute sees that turns fail. */
        static final Patience USUAL = new Patience(Duration.ofSeconds(1), Duration.ofSeconds(30), 9);

        private Duration pause(int failures) {
            Duration next = first.multipliedBy(1L << Math.min(failures - 1, 20));
            return next.compareTo(longest) < 0 ? next : longest;
        }
    }

    /** What belongs to a turn besides the loop. */
    interface Around {
        /** After the first that came to its end. */
        void first(GatewayController controller);

        /** After each. */
        void each(GatewayController controller, Instant now);
    }

    private final GatewayController controller;
    private final Inbox inbox;
    private final OperatorMetrics metrics;
    private final Patience patience;
    private volatile long began;
    private volatile boolean stopped;

    ReconcileRunner(GatewayController controller, Inbox inbox, OperatorMetrics metrics, Patience patience) {
        this.controller = controller;
        this.inbox = inbox;
        this.metrics = metrics;
        this.patience = patience;
    }

    /** Whether one is under way that has come no further for so long. A turn of thousands of Gateways may take its time. */
    boolean hasStoodStillFor(Duration limit) {
        long start = began;
        long now = System.nanoTime();
        return start != 0 && now - start > limit.toNanos() && now - controller.movedAt() > limit.toNanos();
    }

    /** None begins after this; what is not written yet is written then. */
    void stop() {
        stopped = true;
        inbox.wake();
    }

    void run(InstantSource clock, Around around) throws InterruptedException {
        boolean first = true;
        int failures = 0;
        while (!stopped) {
            Inbox.Batch batch = inbox.take(first ? Duration.ZERO : controller.patience(clock.instant()));
            long start = System.nanoTime();
            began = start;
            try {
                controller.reconcile(first ? gathered(batch, clock) : batch, clock.instant());
                if (first) {
                    around.first(controller);
                }
                around.each(controller, clock.instant());
                metrics.reconciled(
                        Duration.ofNanos(System.nanoTime() - start), Duration.ofNanos(start - batch.oldest()));
                first = false;
                failures = 0;
            } catch (RuntimeException e) {
                failures++;
                metrics.reconcileFailed(Duration.ofNanos(System.nanoTime() - start));
                if (failures >= patience.most()) {
                    throw e;
                }
                say(e, failures);
                controller.reset();
                first = true;
            } finally {
                began = 0;
            }
            if (failures > 0) {
                Thread.sleep(patience.pause(failures));
            }
        }
        while (controller.flush(clock.instant())) {
            inbox.take(GATHERS_EVERY);
        }
    }

    // The first turn finds all that there is: an object that waits for what it names would be taken for gone.
    private Inbox.Batch gathered(Inbox.Batch first, InstantSource clock) throws InterruptedException {
        Instant start = clock.instant();
        Instant until = start.plus(GATHERED_WITHIN);
        Inbox.Batch batch = first;
        while (!stopped && !controller.gather(batch, start) && clock.instant().isBefore(until)) {
            batch = inbox.take(GATHERS_EVERY);
        }
        return inbox.take(Duration.ZERO);
    }

    private void say(RuntimeException fault, int failures) {
        if (failures == 1) {
            LOG.log(Level.ERROR, "a turn failed; all that is known is looked at again", fault);
        } else {
            LOG.log(Level.ERROR, "turn {0} in a row failed: {1}", failures, fault.toString());
        }
    }
}
