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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes statuses, the newest wish for each object only, and those of no namespace at the expense of another's. What many things change, such as a Gateway that a thousand routes attach to,
 * is written a moment after it was quiet, and then more and more seldom for as long as it goes on, but never later than a second.
 */
public final class StatusDesk implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatusDesk.class.getName());
    // Most of a write is waiting for the server: with less, the last of 10,000 new routes has no status for minutes.
    private static final WorkQueue.Limits WRITERS = WorkQueue.Limits.of(8, 8);
    private static final WorkQueue.Limits WRITERS_OF_GATEWAYS = WorkQueue.Limits.of(3, 3);
    /** In which pods take up what the status is about: they come first, and server and processors are the same. */
    private static final Duration COURTESY = Duration.ofMillis(20);

    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(30);
    /** Of what is not taken as it is: what an admission policy, a role or a definition refuses now it may take after a while. */
    private static final Duration RETRY_REFUSED = Duration.ofMinutes(2);

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
    // Gateways are what others wait for, and of the rest there may be thousands.
    private final WorkQueue gateways = WorkQueue.start("statuses of Gateways", WRITERS_OF_GATEWAYS);
    private final WorkQueue others = WorkQueue.start("statuses", WRITERS);
    private final Map<ResourceId, Slot> slots = new HashMap<>();

    private StatusDesk(StatusEdit edit, Listener listener) {
        this.edit = edit;
        this.listener = listener;
    }

    public static StatusDesk start(StatusEdit edit, Listener listener) {
        return new StatusDesk(edit, listener);
    }

    public void wish(Wish wish) {
        lock.lock();
        try {
            Slot slot = slots.computeIfAbsent(wish.object(), key -> new Slot());
            slot.wish = Optional.of(wish);
            slot.failures = 0;
            Duration left = Duration.ofNanos(slot.notBefore - System.nanoTime());
            add(wish.object(), left.compareTo(COURTESY) > 0 ? left : COURTESY);
        } finally {
            lock.unlock();
        }
    }

    private void add(ResourceId object, Duration pause) {
        queue(object)
                .addAfter(
                        new WorkQueue.Key(object.namespace(), object.toString()),
                        () -> {
                            write(object);
                            return true;
                        },
                        pause);
    }

    private WorkQueue queue(ResourceId object) {
        return object.type().equals(GroupKind.GATEWAY) ? gateways : others;
    }

    /** Waits until what waits is written, at most so long. */
    public void drain(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        gateways.awaitIdle(patience);
        others.awaitIdle(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }

    private void write(ResourceId object) throws InterruptedException {
        Slot slot;
        Wish wish;
        lock.lock();
        try {
            slot = slots.getOrDefault(object, new Slot());
            if (slot.wish.isEmpty()) {
                return;
            }
            wish = slot.wish.get();
            slot.wish = Optional.empty();
        } finally {
            lock.unlock();
        }
        write(object, slot, wish);
    }

    private void write(ResourceId object, Slot slot, Wish wish) throws InterruptedException {
        Optional<IOException> failure = Optional.of(new IOException("it was not written"));
        try {
            StatusEdit.Edited edited = edit.write(
                    wish.path(), wish.uid(), wish.ours(), wish.fields().get(), slot.last);
            slot.last = edited.last();
            failure = Optional.empty();
            listener.wrote(wish, edited.result());
        } catch (IOException e) {
            failure = Optional.of(e);
            listener.failed(wish, e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the status of " + object + " could not be written, which is tried again", e);
            listener.failed(wish, new IOException(e.toString(), e));
        } finally {
            done(object, slot, wish, failure);
        }
    }

    private void done(ResourceId object, Slot slot, Wish wish, Optional<IOException> failure) {
        lock.lock();
        try {
            long now = System.nanoTime();
            boolean goesOn = now - slot.lastEnd < 2 * LONGEST.toNanos();
            slot.streak = goesOn ? slot.streak + 1 : 0;
            slot.lastEnd = now;
            Duration pause = shorter(STEP.multipliedBy(slot.streak), LONGEST);
            if (failure.isPresent()) {
                slot.failures++;
                boolean refused = failure.get() instanceof ApiFault fault && fault.isFinal();
                pause = shorter(
                        RETRY.multipliedBy(1L << Math.min(slot.failures - 1, 10)),
                        refused ? RETRY_REFUSED : RETRY_LONGEST);
                slot.wish = slot.wish.or(() -> Optional.of(wish));
                add(object, pause);
            }
            slot.notBefore = now + pause.toNanos();
            // There are thousands of routes, and few of all else.
            if (object.type().equals(GroupKind.HTTP_ROUTE) && slot.wish.isEmpty() && slot.last.isEmpty()) {
                slots.remove(object, slot);
            }
        } finally {
            lock.unlock();
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public void close() {
        gateways.close();
        others.close();
    }
}
