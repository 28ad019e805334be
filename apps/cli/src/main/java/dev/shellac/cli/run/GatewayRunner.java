package dev.shellac.cli.run;

import dev.shellac.cli.analysis.RunningGateway;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.varnishd.VarnishdOwner;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The thread of one Gateway: has its varnishd serve the newest of what was desired, starts it again when it ended, and reports. A
 * slow compiler or a port that is taken is the trouble of this Gateway alone.
 */
final class GatewayRunner implements VarnishdOwner, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(GatewayRunner.class.getName());
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration HEALTHY = Duration.ofSeconds(30);

    private final Name gateway;
    private final GatewayServing serving;
    private final Inbox inbox;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private final Thread thread;
    private Optional<Desired> desired = Optional.empty();
    private Optional<ReloadAnswer> childs = Optional.empty();
    private boolean dirty;
    private boolean working;
    private boolean closed;
    private int failures;
    private long lastFailure;
    private String obstacle = "";
    private volatile Optional<RunningGateway> running = Optional.empty();

    private GatewayRunner(Name gateway, RunSettings settings, GatewayFiles files, Inbox inbox) {
        this.gateway = gateway;
        this.inbox = inbox;
        this.serving = new GatewayServing(gateway, settings, files, this);
        this.thread = Thread.ofVirtual().name("gateway " + gateway).unstarted(this::work);
    }

    static GatewayRunner start(Name gateway, RunSettings settings, GatewayFiles files, Inbox inbox) {
        var runner = new GatewayRunner(gateway, settings, files, inbox);
        runner.thread.start();
        return runner;
    }

    /** From now on, this. */
    void desire(Desired next) {
        lock.lock();
        try {
            desired = Optional.of(next);
            dirty = true;
            woken.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What it last said; nothing before it first served, or failed to. */
    Optional<DataPlane> report() {
        return running.map(RunningGateway::report);
    }

    /** The plan that its varnishd serves. */
    Optional<GatewayPlan> live() {
        return running.flatMap(RunningGateway::live);
    }

    /** Nothing is on its way: the report is about what was last desired. */
    boolean isSettled() {
        lock.lock();
        try {
            return !dirty && !working;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void exited(int status, String lastWords) {
        lock.lock();
        try {
            if (System.nanoTime() - lastFailure > HEALTHY.toNanos()) {
                failures = 0;
            }
            failures++;
            lastFailure = System.nanoTime();
            dirty = true;
            running = Optional.of(down("varnishd ended with status " + status + " and is started again"));
            LOG.log(
                    Level.WARNING,
                    "Gateway {0}: varnishd ended with status {1} and is started again in {2} ms: {3}",
                    gateway,
                    String.valueOf(status),
                    String.valueOf(pause().toMillis()),
                    lastWords);
            woken.signalAll();
        } finally {
            lock.unlock();
        }
        inbox.reported();
    }

    private static RunningGateway down(String why) {
        return new RunningGateway(
                new DataPlane(List.of(), Map.of(), Map.of(), List.of(), Optional.empty(), Optional.of(why)),
                Optional.empty());
    }

    private Duration pause() {
        Duration pause = FIRST_PAUSE;
        for (int i = 1; i < failures && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    @Override
    public void childRestarted(ReloadAnswer reload) {
        lock.lock();
        try {
            childs = Optional.of(reload);
            dirty = true;
            woken.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        try (serving) {
            boolean again = false;
            while (true) {
                Optional<Desired> next = next(again);
                if (next.isEmpty()) {
                    return;
                }
                again = served(next.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Desired> next(boolean again) throws InterruptedException {
        lock.lock();
        try {
            long left = AGAIN.toNanos();
            while (!closed && (desired.isEmpty() || (!dirty && (!again || left > 0)))) {
                if (again) {
                    left = woken.awaitNanos(left);
                } else {
                    woken.await();
                }
            }
            for (long wait = pauseLeft(); !closed && wait > 0; wait = pauseLeft()) {
                woken.await(wait, TimeUnit.NANOSECONDS);
            }
            dirty = false;
            working = true;
            childs.ifPresent(serving::reloaded);
            childs = Optional.empty();
            return closed ? Optional.empty() : desired;
        } finally {
            lock.unlock();
        }
    }

    private long pauseLeft() {
        return failures == 0 ? 0 : lastFailure + pause().toNanos() - System.nanoTime();
    }

    private boolean served(Desired now) {
        boolean again = true;
        try {
            GatewayServing.Result result = serving.serve(now);
            running = Optional.of(result.running());
            again = result.again();
            obstacle = "";
        } catch (IOException | RuntimeException e) {
            running = Optional.of(down("cannot be served for now: " + e));
            // It is tried again each second.
            if (!obstacle.equals(e.toString())) {
                LOG.log(Level.ERROR, "Gateway " + gateway + ": cannot be served for now: " + e, e);
            }
            obstacle = e.toString();
        } finally {
            rest();
            inbox.reported();
        }
        return again;
    }

    private void rest() {
        lock.lock();
        try {
            working = false;
        } finally {
            lock.unlock();
        }
    }

    /** Stops its varnishd. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            woken.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            if (!thread.join(PATIENCE)) {
                thread.interrupt(); // it waits for a compiler
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
