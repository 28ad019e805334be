package dev.shellac.model.route;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * When a failed attempt is repeated.
 *
 * @param attempts how many times more, after the first
 */
public record Retry(int attempts, List<Integer> codes, Optional<Duration> backoff) {
    public Retry {
        codes = List.copyOf(codes);
    }
}
