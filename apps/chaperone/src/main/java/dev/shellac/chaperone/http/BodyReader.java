package dev.shellac.chaperone.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reads bodies of requests, one at a time, no large one and none for long. Who sends them is known only when they have been read, and the heap has no room for
 * what many senders could have it hold at once.
 */
final class BodyReader {
    private static final System.Logger LOG = System.getLogger(BodyReader.class.getName());
    private static final int TOO_LARGE = 413;
    private static final int BUSY = 503;

    /**
     * What is allowed.
     *
     * @param bytes of one body
     * @param turn the longest wait until another one has been read
     * @param reading the longest time that one takes; its connection is closed then
     */
    record Bounds(int bytes, Duration turn, Duration reading) {}

    /** A body that is not read. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final int status;

        Refused(int status, String why) {
            super(why, null, false, false);
            this.status = status;
        }

        int status() {
            return status;
        }

        String why() {
            return String.valueOf(getMessage());
        }
    }

    private final Bounds bounds;
    private final Semaphore turn = new Semaphore(1, true);

    BodyReader(Bounds bounds) {
        this.bounds = bounds;
    }

    /** What is made of a body; the next one is read when that is done. */
    <T> T read(HttpExchange exchange, Function<byte[], T> use) throws Refused, IOException, InterruptedException {
        if (announced(exchange) > bounds.bytes()) {
            throw tooLarge();
        }
        if (!turn.tryAcquire(bounds.turn().toMillis(), TimeUnit.MILLISECONDS)) {
            throw new Refused(BUSY, "another request body is being read: try again");
        }
        Thread overdue = Thread.ofVirtual().name("http-overdue").start(() -> endLate(exchange));
        try {
            byte[] body = exchange.getRequestBody().readNBytes(bounds.bytes() + 1);
            if (body.length > bounds.bytes()) {
                throw tooLarge();
            }
            return use.apply(body);
        } finally {
            overdue.interrupt();
            turn.release();
        }
    }

    private Refused tooLarge() {
        return new Refused(TOO_LARGE, "more than " + bounds.bytes() + " bytes");
    }

    private static long announced(HttpExchange exchange) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst("Content-Length"))
                .filter(length -> length.matches("[0-9]{1,18}"))
                .map(Long::parseLong)
                .orElse(0L);
    }

    // No answer has begun, so that this closes the connection, and the read ends.
    private void endLate(HttpExchange exchange) {
        try {
            Thread.sleep(bounds.reading());
            LOG.log(Level.DEBUG, "a body took longer than {0}", bounds.reading());
            exchange.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it was read in time
        }
    }
}
