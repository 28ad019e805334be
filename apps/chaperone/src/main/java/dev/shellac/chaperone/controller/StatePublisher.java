package dev.shellac.chaperone.controller;

import java.time.Duration;

/** Where the state hangs for everybody to read, and to wait for the next. */
public final class StatePublisher {
    /** A state and its number. */
    public record VersionedState(LiveState state, String version) {}

    private final String birth;
    private long number;
    private LiveState state = LiveState.NOTHING;

    /**
     * An empty one.
     *
     * @param birth told apart from that of another life of this process, so that numbers are never confused
     */
    public StatePublisher(long birth) {
        this.birth = Long.toString(birth, Character.MAX_RADIX);
    }

    public synchronized VersionedState current() {
        return new VersionedState(state, birth + "-" + number);
    }

    /** One that is not of this version, as soon as there is one; after a while the one that there is. */
    public synchronized VersionedState awaitNewerThan(String version, Duration most) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        while (current().version().equals(version)) {
            long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        return current();
    }

    synchronized void publish(LiveState next) {
        if (!next.equals(state)) {
            state = next;
            number++;
            notifyAll();
        }
    }
}
