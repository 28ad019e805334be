package dev.shellac.testkit.patience;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what comes by itself, and no longer than a busy machine may need for it. */
public final class Eventually {
    private static final Duration MOST = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(2);

    private Eventually() {}

    public static void eventually(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + MOST.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + MOST.toSeconds() + " s: " + what);
            }
            Thread.sleep(PAUSE);
        }
    }
}
