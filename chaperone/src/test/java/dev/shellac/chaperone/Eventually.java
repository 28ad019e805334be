package dev.shellac.chaperone;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what other threads do. */
public final class Eventually {
    private static final Duration MOST = Duration.ofSeconds(30);

    private Eventually() {}

    public static void eventually(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + MOST.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + MOST + ": " + what);
            }
            Thread.sleep(2);
        }
    }
}
