package dev.shellac.chaperone.live;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Rung when something changed. However often it was rung while nobody listened, it is heard once. */
public final class Bell {
    private final Semaphore rung = new Semaphore(0);

    public void ring() {
        rung.release();
    }

    /** Until it rings, or for as long as this. */
    public void await(Duration most) throws InterruptedException {
        if (rung.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
            rung.drainPermits();
        }
    }
}
