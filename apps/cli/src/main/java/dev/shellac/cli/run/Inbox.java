package dev.shellac.cli.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What the loop has to look at. Whatever comes while it is busy is one item more, however often it came. */
final class Inbox {
    /**
     * What came since the last time.
     *
     * @param reports whether a data plane has something new to say
     */
    record Mail(Set<Path> changed, boolean reports, boolean closed) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private Set<Path> changed = new LinkedHashSet<>();
    private boolean reports;
    private boolean closed;

    void changed(Path path) {
        lock.lock();
        try {
            changed.add(path);
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void reported() {
        lock.lock();
        try {
            reports = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something came or the time is over. */
    Mail await(Duration most) throws InterruptedException {
        lock.lock();
        try {
            long left = most.toNanos();
            while (changed.isEmpty() && !reports && !closed && left > 0) {
                left = arrived.awaitNanos(left);
            }
            var mail = new Mail(changed, reports, closed);
            changed = new LinkedHashSet<>();
            reports = false;
            return mail;
        } finally {
            lock.unlock();
        }
    }
}
