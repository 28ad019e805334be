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
public final class StatusWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatusWriter.class.getName());
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
    public interface Observer {
        void wrote(StatusUpdate update, Result result);

        void failed(StatusUpdate update, IOException why);
    }

    private static final class Slot {
        private Optional<StatusUpdate> update = Optional.empty();
        private Optional<Last> last = Optional.empty();
        private long notBefore = System.nanoTime();
        private long lastEnd = System.nanoTime() - LONGEST.toNanos();
        private int streak;
        private int failures;
    }

    private final StatusEdit edit;
    private final Observer observer;
    private final ReentrantLock lock = new ReentrantLock();
    // Gateways are what others wait for, and of the rest there may be thousands.
    private final WorkQueue gateways = WorkQueue.start("statuses of Gateways", WRITERS_OF_GATEWAYS);
    private final WorkQueue others = WorkQueue.start("statuses", WRITERS);
    private final Map<ResourceId, Slot> slots = new HashMap<>();

    private StatusWriter(StatusEdit edit, Observer observer) {
        this.edit = edit;
        this.observer = observer;
    }

    public static StatusWriter start(StatusEdit edit, Observer observer) {
        return new StatusWriter(edit, observer);
    }

    public void submit(StatusUpdate update) {
        lock.lock();
        try {
            Slot slot = slots.computeIfAbsent(update.object(), key -> new Slot());
            slot.update = Optional.of(update);
            slot.failures = 0;
            Duration left = Duration.ofNanos(slot.notBefore - System.nanoTime());
            add(update.object(), left.compareTo(COURTESY) > 0 ? left : COURTESY);
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
        StatusUpdate update;
        lock.lock();
        try {
            slot = slots.getOrDefault(object, new Slot());
            if (slot.update.isEmpty()) {
                return;
            }
            update = slot.update.get();
            slot.update = Optional.empty();
        } finally {
            lock.unlock();
        }
        write(object, slot, update);
    }

    private void write(ResourceId object, Slot slot, StatusUpdate update) throws InterruptedException {
        Optional<IOException> failure = Optional.of(new IOException("it was not written"));
        try {
            StatusEdit.Edited edited = edit.write(
                    update.path(), update.uid(), update.ours(), update.fields().get(), slot.last);
            slot.last = edited.last();
            failure = Optional.empty();
            observer.wrote(update, edited.result());
        } catch (IOException e) {
            failure = Optional.of(e);
            observer.failed(update, e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the status of " + object + " could not be written, which is tried again", e);
            observer.failed(update, new IOException(e.toString(), e));
        } finally {
            done(object, slot, update, failure);
        }
    }

    private void done(ResourceId object, Slot slot, StatusUpdate update, Optional<IOException> failure) {
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
                slot.update = slot.update.or(() -> Optional.of(update));
                add(object, pause);
            }
            slot.notBefore = now + pause.toNanos();
            // There are thousands of routes, and few of all else.
            if (object.type().equals(GroupKind.HTTP_ROUTE) && slot.update.isEmpty() && slot.last.isEmpty()) {
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
