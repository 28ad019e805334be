package dev.shellac.chaperone.http;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A text that is read at most once in a while, for everybody who asks. Reading the counters starts a process, and anybody who reaches the pod
 * may ask for them.
 */
final class SharedReading {
    /** How the text is read. */
    interface Source {
        String read() throws InterruptedException;
    }

    private record Read(String text, long at) {}

    private final Source source;
    private final Duration lasts;
    private final LongSupplier nanoTime;
    private Optional<Read> last = Optional.empty();

    SharedReading(Source source, Duration lasts, LongSupplier nanoTime) {
        this.source = source;
        this.lasts = lasts;
        this.nanoTime = nanoTime;
    }

    /** The last text, or a new one if that is too old; who asks meanwhile waits for it. */
    synchronized String text() throws InterruptedException {
        if (last.filter(read -> nanoTime.getAsLong() - read.at() < lasts.toNanos())
                .isEmpty()) {
            String text = source.read();
            last = Optional.of(new Read(text, nanoTime.getAsLong()));
        }
        return last.orElseThrow().text();
    }
}
