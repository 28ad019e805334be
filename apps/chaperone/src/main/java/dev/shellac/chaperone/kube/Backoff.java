package dev.shellac.chaperone.kube;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long is waited after failures in a row: twice as long each time, up to a limit, and never all at once. */
public record Backoff(Duration first, Duration most) {
    private static final int DOUBLINGS = 20;

    public static Backoff usual() {
        return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    /** After so many failures, at least one: between half of the time and all of it. */
    public Duration delay(int failures, RandomGenerator chance) {
        Duration full = first.multipliedBy(1L << Math.clamp(failures - 1L, 0, DOUBLINGS));
        long millis = Math.min(full.toMillis(), most.toMillis());
        return Duration.ofMillis(millis / 2 + chance.nextLong(millis / 2 + 1));
    }
}
