package dev.shellac.operator.write;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.StatusEdit;
import dev.shellac.kube.write.StatusEdit.Last;
import dev.shellac.kube.write.StatusEdit.Result;
import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes statuses on a few threads, the newest wish for each object only. What many things change, such as a Gateway that a thousand routes attach to,
 * is written a moment after it was quiet, and then more and more seldom for as long as it goes on, but never later than a second.
 */
public final class StatusDesk implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatusDesk.class.getName());
    // Most of a write is waiting for the server: with less, the last of 10,000 new routes has no status for minutes.
    private static final int WRITERS = 8;
    private static final int WRITERS_OF_GATEWAYS = 3;
    /** In which pods take up what the status is about: they come first, and server and processors are the same. */
    private static final Duration COURTESY = Duration.ofMillis(20);

    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(30);

    /** Who wants to know what was written. */
    public interface Listener {
        void wrote(Wish wish, Result result);

        void failed(Wish wish, IOException why);
    }

    private static final class Slot {
        private Optional<Wish> wish = Optional.empty();
        private Optional<Last> last = Optional.empty();
        private long notBefore = System.nanoTime();
        private long lastEnd = System.nanoTime() - LONGEST.toNanos();
        private int streak;
        private int failures;
    }

    private final StatusEdit edit;
    private final Listener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Gateways apart from the rest, of which there may be thousands.
    private final Map<ResourceId, Slot> gateways = new LinkedHashMap<>();
    private final Map<ResourceId, Slot> others = new LinkedHashMap<>();
    private final Map<ResourceId, Slot> slots = new HashMap<>();
    private final Set<ResourceId> busy = new HashSet<>();
    private boolean closed;

    private StatusDesk(StatusEdit edit, Listener listener) {
        this.edit = edit;
        this.listener = listener;
    }

    public static StatusDesk start(StatusEdit edit, Listener listener) {
        var desk = new StatusDesk(edit, listener);
        desk.start(WRITERS_OF_GATEWAYS, desk.gateways);
        desk.start(WRITERS, desk.others);
        return desk;
    }

    private void start(int writers, Map<ResourceId, Slot> waiting) {
        for (int i = 0; i < writers; i++) {
            Thread.ofVirtual().name("status").start(() -> run(waiting));
        }
    }

    public void wish(Wish wish) {
        lock.lock();
        try {
            Slot slot = slots.computeIfAbsent(wish.object(), key -> new Slot());
            slot.wish = Optional.of(wish);
            slot.failures = 0;
            if (waiting(wish.object()).putIfAbsent(wish.object(), slot) == null) {
                long soonest = System.nanoTime() + COURTESY.toNanos();
                slot.notBefore = slot.notBefore - soonest < 0 ? soonest : slot.notBefore;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // Gateways are what others wait for: they have writers of their own.
    private Map<ResourceId, Slot> waiting(ResourceId object) {
        return object.type().equals(GroupKind.GATEWAY) ? gateways : others;
    }

    /** The object is no more, or not ours. */
    public void forget(ResourceId object) {
        lock.lock();
        try {
            slots.remove(object);
            waiting(object).remove(object);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing waits and nothing is being written. */
    public boolean isIdle() {
        lock.lock();
        try {
            return gateways.isEmpty() && others.isEmpty() && busy.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void run(Map<ResourceId, Slot> waiting) {
        try {
            while (true) {
                ResourceId object = next(waiting);
                Slot slot;
                Wish wish;
                lock.lock();
                try {
                    if (closed) {
                        return;
                    }
                    slot = slots.getOrDefault(object, new Slot());
                    if (slot.wish.isEmpty()) {
                        busy.remove(object);
                        continue;
                    }
                    wish = slot.wish.get();
                    slot.wish = Optional.empty();
                } finally {
                    lock.unlock();
                }
                write(object, slot, wish);
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "statuses are not written any more");
        }
    }

    private ResourceId next(Map<ResourceId, Slot> waiting) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                long soonest = Long.MAX_VALUE;
                for (Map.Entry<ResourceId, Slot> entry : waiting.entrySet()) {
                    if (busy.contains(entry.getKey())) {
                        continue;
                    }
                    long left = entry.getValue().notBefore - now;
                    if (left <= 0 || closed) {
                        waiting.remove(entry.getKey());
                        busy.add(entry.getKey());
                        return entry.getKey();
                    }
                    soonest = Math.min(soonest, left);
                }
                if (closed) {
                    throw new InterruptedException("closed");
                }
                if (soonest == Long.MAX_VALUE) {
                    changed.await();
                } else {
                    changed.awaitNanos(soonest);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void write(ResourceId object, Slot slot, Wish wish) throws InterruptedException {
        Optional<IOException> failure = Optional.empty();
        try {
            StatusEdit.Edited edited = edit.write(
                    wish.path(), wish.uid(), wish.ours(), wish.fields().get(), slot.last);
            slot.last = edited.last();
            listener.wrote(wish, edited.result());
        } catch (IOException e) {
            failure = Optional.of(e);
            listener.failed(wish, e);
        } finally {
            done(object, slot, wish, failure);
        }
    }

    private void done(ResourceId object, Slot slot, Wish wish, Optional<IOException> failure) {
        lock.lock();
        try {
            busy.remove(object);
            long now = System.nanoTime();
            boolean goesOn = now - slot.lastEnd < 2 * LONGEST.toNanos();
            slot.streak = goesOn ? slot.streak + 1 : 0;
            slot.lastEnd = now;
            Duration pause = shorter(STEP.multipliedBy(slot.streak), LONGEST);
            if (failure.isPresent() && !(failure.get() instanceof ApiFault fault && fault.isFinal())) {
                slot.failures++;
                pause = shorter(RETRY.multipliedBy(1L << Math.min(slot.failures - 1, 5)), RETRY_LONGEST);
                slot.wish = slot.wish.or(() -> Optional.of(wish));
                waiting(object).putIfAbsent(object, slot);
            }
            slot.notBefore = now + pause.toNanos();
            // There are thousands of routes, and few of all else.
            if (object.type().equals(GroupKind.HTTP_ROUTE) && slot.wish.isEmpty() && slot.last.isEmpty()) {
                slots.remove(object, slot);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            gateways.clear();
            others.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
