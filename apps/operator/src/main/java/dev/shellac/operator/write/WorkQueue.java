package dev.shellac.operator.write;

import dev.shellac.threads.Supervisor;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tasks by key: one at a time for each key, and of those that wait the newest only. A task that fails is tried again after a pause that doubles.
 *
 * <p>Namespaces take turns, and none has more than its share of tasks under way. A task that takes longer than a moment waits for somebody else, such as an
 * admission webhook: it keeps its namespace's place and gives the common one back. So a namespace in which nothing gets through delays nobody but itself.
 */
public final class WorkQueue implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WorkQueue.class.getName());
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(30);

    /** Whose task it is; {@code name} tells those of one namespace apart. */
    public record Key(String namespace, String name) {}

    /** Something to do. */
    @FunctionalInterface
    public interface Task {
        /** True when it is done; otherwise it is tried again. */
        boolean run() throws InterruptedException;
    }

    /**
     * How many tasks run.
     *
     * @param atOnce those that began less than {@code slow} ago
     * @param share of one namespace, slow ones included
     */
    public record Limits(int atOnce, int share, Duration slow) {
        /** A second is far more than a write takes, and less than anybody notices. */
        public static Limits of(int atOnce, int share) {
            return new Limits(atOnce, share, Duration.ofSeconds(1));
        }
    }

    private static final class Entry {
        private final Key key;
        private Optional<Task> task = Optional.empty();
        private long notBefore;
        private boolean running;
        private boolean slow;
        private long began;
        private int failures;

        Entry(Key key) {
            this.key = key;
        }
    }

    private final Limits limits;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Key, Entry> entries = new HashMap<>();
    private final PriorityQueue<Entry> later =
            new PriorityQueue<>(Comparator.comparingLong((Entry entry) -> entry.notBefore));
    /** Those whose time has come, by namespace; the namespace whose turn it is comes first. */
    private final Map<String, Deque<Entry>> ready = new LinkedHashMap<>();

    private final Map<String, Integer> underWay = new HashMap<>();
    private final Set<Entry> running = new LinkedHashSet<>();
    private final Set<Thread> threads = new LinkedHashSet<>();
    private int counted;
    private boolean closed;

    private WorkQueue(String name, Limits limits) {
        this.name = name;
        this.limits = limits;
    }

    public static WorkQueue start(String name, Limits limits) {
        var queue = new WorkQueue(name, limits);
        Supervisor.PROCESS.thread(name, queue::dispatch).start();
        return queue;
    }

    /** Has this done as soon as there is a place, in place of what waits for this key. */
    public void add(Key key, Task task) {
        put(key, task, System.nanoTime());
    }

    /** The same, not before so long. Where a task of this key waits, its time stays. */
    public void addAfter(Key key, Task task, Duration pause) {
        lock.lock();
        try {
            long notBefore = System.nanoTime() + pause.toNanos();
            put(
                    key,
                    task,
                    Optional.ofNullable(entries.get(key))
                            .filter(entry -> entry.task.isPresent())
                            .map(entry -> entry.notBefore)
                            .orElse(notBefore));
        } finally {
            lock.unlock();
        }
    }

    private void put(Key key, Task task, long notBefore) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            Entry entry = entries.computeIfAbsent(key, Entry::new);
            forget(entry);
            entry.task = Optional.of(task);
            entry.notBefore = notBefore;
            if (!entry.running) {
                later.add(entry);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Does not do what waits for this key; what is under way goes on. */
    public void remove(Key key) {
        lock.lock();
        try {
            Entry entry = entries.get(key);
            if (entry != null) {
                forget(entry);
                entry.task = Optional.empty();
                entries.remove(key, entry);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(Entry entry) {
        later.remove(entry);
        Deque<Entry> mates = ready.get(entry.key.namespace());
        if (mates != null) {
            mates.remove(entry);
        }
    }

    /** Waits until nothing waits that is due within a moment, and nothing is under way. */
    public boolean awaitIdle(Duration patience) throws InterruptedException {
        lock.lock();
        try {
            long left = patience.toNanos();
            while (left > 0 && !isIdle(System.nanoTime() + left)) {
                left = changed.awaitNanos(left);
            }
            return isIdle(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    private boolean isIdle(long until) {
        return running.isEmpty()
                && ready.values().stream().allMatch(Deque::isEmpty)
                && (later.isEmpty() || later.element().notBefore - until > 0);
    }

    private void dispatch() {
        lock.lock();
        try {
            while (!closed) {
                long now = System.nanoTime();
                while (!later.isEmpty() && later.element().notBefore - now <= 0) {
                    Entry due = later.remove();
                    ready.computeIfAbsent(due.key.namespace(), space -> new ArrayDeque<>())
                            .add(due);
                }
                long left = slowest(now);
                boolean began = counted < limits.atOnce() && startNext();
                if (!began) {
                    left = later.isEmpty() ? left : Math.min(left, later.element().notBefore - now);
                    changed.awaitNanos(left);
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "{0} does nothing any more", name);
        } finally {
            lock.unlock();
        }
    }

    // Those that have become slow give their place back; how long until the next one does.
    private long slowest(long now) {
        for (Entry entry : running) {
            if (entry.slow) {
                continue;
            }
            long left = entry.began + limits.slow().toNanos() - now;
            if (left > 0) {
                return left;
            }
            entry.slow = true;
            counted--;
        }
        return Long.MAX_VALUE;
    }

    private boolean startNext() {
        Optional<Map.Entry<String, Deque<Entry>>> space = ready.entrySet().stream()
                .filter(entry -> underWay.getOrDefault(entry.getKey(), 0) < limits.share())
                .filter(entry -> !entry.getValue().isEmpty())
                .findFirst();
        space.ifPresent(found -> {
            String namespace = found.getKey();
            Deque<Entry> mates = found.getValue();
            Entry next = mates.remove();
            ready.remove(namespace);
            if (!mates.isEmpty()) {
                ready.put(namespace, mates); // last, until its turn comes again
            }
            start(next);
        });
        return space.isPresent();
    }

    private void start(Entry entry) {
        Task task = entry.task.orElseThrow();
        entry.task = Optional.empty();
        entry.running = true;
        entry.slow = false;
        entry.began = System.nanoTime();
        running.add(entry);
        counted++;
        underWay.merge(entry.key.namespace(), 1, Integer::sum);
        Thread thread = Thread.ofVirtual().name(name + " " + entry.key).unstarted(() -> run(entry, task));
        threads.add(thread);
        thread.start();
    }

    private void run(Entry entry, Task task) {
        boolean done = false;
        try {
            done = task.run();
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "{0}: given up", entry.key);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, name + ": " + entry.key + " failed, and is tried again", e);
        } finally {
            ended(entry, task, done);
        }
    }

    private void ended(Entry entry, Task task, boolean done) {
        lock.lock();
        try {
            threads.remove(Thread.currentThread());
            running.remove(entry);
            counted -= entry.slow ? 0 : 1;
            underWay.merge(entry.key.namespace(), -1, Integer::sum);
            underWay.remove(entry.key.namespace(), 0);
            entry.running = false;
            entry.failures = done ? 0 : entry.failures + 1;
            boolean removed = entries.get(entry.key) != entry;
            if (!done && entry.task.isEmpty() && !removed) {
                entry.task = Optional.of(task);
                entry.notBefore = System.nanoTime() + pause(entry.failures).toNanos();
            }
            if (entry.task.isPresent() && !closed) {
                later.add(entry);
            } else {
                entries.remove(entry.key, entry);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static Duration pause(int failures) {
        Duration pause = RETRY.multipliedBy(1L << Math.min(failures - 1, 10));
        return pause.compareTo(RETRY_LONGEST) < 0 ? pause : RETRY_LONGEST;
    }

    /** Ends it, and what is under way. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            threads.forEach(Thread::interrupt);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
