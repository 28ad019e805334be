package dev.shellac.chaperone.edge;

import java.time.Duration;
import java.util.Optional;

/** How changes wait for each other, so that many become one. */
final class Pace {
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private long started = System.nanoTime() - LONG.toNanos();
    private long revokedAt = System.nanoTime() - LONG.toNanos();
    private Optional<Long> rotateAt = Optional.empty();

    /** A process was started. */
    void start() {
        started = System.nanoTime();
        rotateAt = Optional.empty();
    }

    /** That process was one that ends the connections of those before, which nobody can have happen every second. */
    void revoked() {
        revokedAt = System.nanoTime();
    }

    /** How long a change has to wait: one of certificates since the first that came, the others since the last start. */
    Duration rest(EdgeChange.Kind kind) {
        long due = switch (kind) {
            case CERTIFICATES -> rotateAt.orElseGet(() -> System.nanoTime() + SHORT.toNanos());
            case LARGE_CERTIFICATE -> started + LONG.toNanos();
            case NEW_PROCESS -> started + SHORT.toNanos();
            case REVOCATION -> started + Math.max(SHORT.toNanos(), revokedAt - started + LONG.toNanos());
        };
        Duration rest = Duration.ofNanos(due - System.nanoTime());
        if (kind == EdgeChange.Kind.CERTIFICATES) {
            rotateAt = rest.isPositive() ? Optional.of(due) : Optional.empty();
        }
        return rest;
    }
}
