package dev.shellac.threads;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that are to run for as long as they are wanted. One that ends by an exception that nobody expected is counted and logged, and runs again after a
 * pause; one that ends so again and again is a reason to start the process anew.
 */
public final class Supervisor {
    private static final System.Logger LOG = System.getLogger(Supervisor.class.getName());

    /** Of the process. */
    public static final Supervisor PROCESS = new Supervisor(Duration.ofSeconds(1), Duration.ofSeconds(30));

    /** Ends in a row after which a thread counts as failing. */
    public static final int FAILING = 5;

    /** What a thread does; it has done it when this returns. */
    @FunctionalInterface
    public interface Body {
        void run() throws InterruptedException;
    }

    private static final Row NONE = new Row(0, 0);

    private final Duration first;
    private final Duration longest;
    private final AtomicLong ends = new AtomicLong();
    private final Map<Thread, Row> rows = new ConcurrentHashMap<>();

    /**
     * Ends of a thread, each soon after the one before.
     *
     * @param again when it runs again, in nanoseconds of the process
     */
    private record Row(int ends, long again) {}

    /** With these pauses: the first, each next one twice as long, and the longest. A thread that lasts longer than that is well again. */
    Supervisor(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
    }

    /** A thread that waits to be started. */
    public Thread thread(String name, Body body) {
        return Thread.ofVirtual().name(name).unstarted(() -> keep(name, body));
    }

    /** One of the operating system's. */
    public Thread platformThread(String name, Body body) {
        return Thread.ofPlatform().name(name).unstarted(() -> keep(name, body));
    }

    /** Counts and logs what nobody expected, and what a thread goes on after by itself. */
    public void survived(String name, Throwable fault) {
        ends.incrementAndGet();
        LOG.log(Level.ERROR, "unexpected exception in thread " + name + ", which goes on", fault);
    }

    /** How often threads ended though nobody wanted it. */
    public long ends() {
        return ends.get();
    }

    /** Something that a thread does ended by an exception that nobody expected, and is done again by the thread itself. */
    public void ended() {
        ends.incrementAndGet();
    }

    /** The name of a thread that ends again and again, until it has run for long enough. */
    public Optional<String> failing() {
        long now = System.nanoTime();
        return rows.entrySet().stream()
                .filter(entry -> entry.getValue().ends() >= FAILING
                        && now - entry.getValue().again() <= longest.toNanos())
                .map(entry -> entry.getKey().getName())
                .findFirst();
    }

    private void keep(String name, Body body) {
        Thread self = Thread.currentThread();
        try {
            while (true) {
                long start = System.nanoTime();
                try {
                    body.run();
                    return;
                } catch (RuntimeException | Error e) {
                    ends.incrementAndGet();
                    boolean lasted = System.nanoTime() - start > longest.toNanos();
                    int row = lasted ? 1 : rows.getOrDefault(self, NONE).ends() + 1;
                    Duration pause = pause(row);
                    rows.put(self, new Row(row, System.nanoTime() + pause.toNanos()));
                    LOG.log(Level.ERROR, "thread " + name + " ended by an exception, and is started again", e);
                    Thread.sleep(pause);
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "thread {0} is not wanted any more", name);
        } finally {
            rows.remove(self);
        }
    }

    private Duration pause(int row) {
        Duration pause = first.multipliedBy(1L << Math.min(row - 1, 10));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }
}
