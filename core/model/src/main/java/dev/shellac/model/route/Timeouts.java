package dev.shellac.model.route;

import java.time.Duration;
import java.util.Optional;

/** How long a request may take, all attempts included, and one attempt; zero is no limit. */
public record Timeouts(Optional<Duration> request, Optional<Duration> backendRequest) {
    public static final Timeouts NONE = new Timeouts(Optional.empty(), Optional.empty());
}
