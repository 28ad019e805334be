package dev.shellac.testkit.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Paths that are not answered for now, by how they begin. */
final class HangingPaths {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> prefixes = new ArrayList<>();

    void add(String prefix) {
        lock.lock();
        try {
            prefixes.add(prefix);
        } finally {
            lock.unlock();
        }
    }

    void clear() {
        lock.lock();
        try {
            prefixes.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when this path is answered. */
    void await(String path) {
        lock.lock();
        try {
            while (prefixes.stream().anyMatch(path::startsWith)) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
