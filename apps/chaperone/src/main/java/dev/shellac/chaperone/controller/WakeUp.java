package dev.shellac.chaperone.controller;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Rung when something changed. However often it was rung while nobody listened, it is heard once. */
public final class WakeUp {
    private final Semaphore signalled = new Semaphore(0);

    public void signal() {
        signalled.release();
    }

    /** Until it rings, or for as long as this. */
    public void await(Duration most) throws InterruptedException {
        if (signalled.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
            signalled.drainPermits();
        }
    }
}
