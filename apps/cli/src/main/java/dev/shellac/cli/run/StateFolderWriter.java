package dev.shellac.cli.run;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.LiveReports;
import dev.shellac.cli.analysis.Problem;
import dev.shellac.cli.analysis.RunState;
import dev.shellac.translate.print.CanonicalYaml;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the state folder and the log of what is wrong, on a thread of its own, the newest state only and not more often than needed: serving never waits for it.
 */
final class StateFolderWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StateFolderWriter.class.getName());
    // The rest of the time is for serving: thousands of statuses take a while to print.
    private static final int REST = 10;
    private static final Duration SHORTEST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final StateFolder folder;
    private final LastGood lastGood;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private final Thread thread;
    private final FindingsLog findings = new FindingsLog();
    private Optional<FolderAnalysis> next = Optional.empty();
    private Set<Path> changed = new LinkedHashSet<>();
    private boolean closed;

    private StateFolderWriter(StateFolder folder, LastGood lastGood) {
        this.folder = folder;
        this.lastGood = lastGood;
        this.thread = Thread.ofPlatform().name("status").unstarted(this::run);
    }

    static StateFolderWriter start(StateFolder folder, LastGood lastGood) {
        var writer = new StateFolderWriter(folder, lastGood);
        writer.thread.start();
        return writer;
    }

    /** These files were read. */
    void read(Set<Path> files) {
        lock.lock();
        try {
            changed.addAll(files);
        } finally {
            lock.unlock();
        }
    }

    void publish(FolderAnalysis analysis) {
        lock.lock();
        try {
            next = Optional.of(analysis);
            woken.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            boolean last = false;
            while (!last) {
                FolderAnalysis analysis;
                Set<Path> files;
                lock.lock();
                try {
                    while (next.isEmpty() && !closed) {
                        woken.await();
                    }
                    last = closed;
                    if (next.isEmpty()) {
                        return;
                    }
                    analysis = next.get();
                    files = changed;
                    next = Optional.empty();
                    changed = new LinkedHashSet<>();
                } finally {
                    lock.unlock();
                }
                long start = System.nanoTime();
                write(analysis, files);
                pause(Duration.ofNanos(System.nanoTime() - start).multipliedBy(REST));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pause(Duration proper) throws InterruptedException {
        Duration pause = proper.compareTo(LONGEST) > 0 ? LONGEST : proper;
        lock.lock();
        try {
            for (long left = Math.max(pause.toNanos(), SHORTEST.toNanos()); left > 0 && !closed; ) {
                left = woken.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void write(FolderAnalysis analysis, Set<Path> files) {
        try {
            List<Problem> problems = analysis.problems();
            findings.update(problems);
            folder.write("status.yaml", CanonicalYaml.print(analysis.outcome().statuses()));
            folder.write(LiveReports.FILE, RunState.of(analysis, problems).print());
            lastGood.keep(files);
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.WARNING, "the state folder cannot be written: {0}", e);
        }
    }

    /** Writes what is left to write. */
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
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
