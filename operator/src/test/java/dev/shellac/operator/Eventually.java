package dev.shellac.operator;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.assertj.core.api.Assertions;

/** Waits for what comes by itself. */
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private Eventually() {}

    public static void holds(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                Assertions.fail("not within " + PATIENCE.toSeconds() + " s: " + what);
            }
            Thread.sleep(Duration.ofMillis(2));
        }
    }
}
