package dev.shellac.chaperone;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Keeps the heap about as large as what is in it. Of what changes leave behind some grows old, and the collector of a small process looks through the old
 * only when there is no more room at all: a pod would take all that it may, after enough changes. So it is told to when the heap has grown, in a moment
 * without changes; and in any other when it has grown much.
 */
final class HeapWatch {
    static final long GROWN = 2L << 20;
    static final long GROWN_MUCH = 16L << 20;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final LongSupplier size;
    private final LongSupplier rounds;
    private final Runnable collector;
    private long sizeAfter;
    private long roundsBefore;

    /**
     * Of a heap.
     *
     * @param size of the heap now, in bytes
     * @param rounds how often something was done so far
     * @param collector makes it small
     */
    HeapWatch(LongSupplier size, LongSupplier rounds, Runnable collector) {
        this.size = size;
        this.rounds = rounds;
        this.collector = collector;
        this.sizeAfter = size.getAsLong();
        this.roundsBefore = rounds.getAsLong();
    }

    static HeapWatch ofThisProcess(LongSupplier rounds) {
        return new HeapWatch(Runtime.getRuntime()::totalMemory, rounds, System::gc);
    }

    /** Looks again and again, for as long as the process lives. */
    void run() throws InterruptedException {
        while (true) {
            Thread.sleep(BETWEEN_LOOKS);
            look();
        }
    }

    void look() {
        long now = rounds.getAsLong();
        long grown = size.getAsLong() - sizeAfter;
        if (grown >= (now == roundsBefore ? GROWN : GROWN_MUCH)) {
            collector.run();
            sizeAfter = size.getAsLong();
        }
        roundsBefore = now;
    }
}
