package dev.shellac.chaperone.kube;

import java.time.Duration;
import java.util.Optional;

/** How long is still waited for two objects that are of each other, since they last were not. For one thread. */
public final class BaseMismatchTimeout {
    private final Duration patience;
    private Optional<Long> since = Optional.empty();

    public BaseMismatchTimeout(Duration patience) {
        this.patience = patience;
    }

    /** Nothing where they are, or where it took too long. */
    public Optional<Duration> left(boolean fits, long nanos) {
        since = fits ? Optional.empty() : since.or(() -> Optional.of(nanos));
        return since.map(began -> patience.minusNanos(nanos - began)).filter(Duration::isPositive);
    }
}
