package dev.shellac.chaperone.edge;

import java.time.Duration;
import java.util.Optional;

/**
 * Whether haproxy.cfg is the one that the Secrets of certificates name. Both are written one after the other and seen in any order, so that it takes a moment
 * before it is a fault that they differ.
 */
final class ConfigFit {
    static final Duration FITS_WITHIN = Duration.ofSeconds(5);

    private Optional<Long> since = Optional.empty();

    /** Why the text of the ConfigMap is not used, where it has been another one for a while. */
    Optional<String> fault(boolean fits, long now) {
        since = fits ? Optional.empty() : since.or(() -> Optional.of(now));
        return since.filter(began -> now - began >= FITS_WITHIN.toNanos())
                .map(began ->
                        "haproxy.cfg in the ConfigMap is not used: it is not the one whose hash stands in the Secret of"
                                + " certificates");
    }

    /** How long it may still differ; nothing where that is over, or it does not. */
    Optional<Duration> left(long now) {
        return since.map(began -> FITS_WITHIN.minusNanos(now - began)).filter(Duration::isPositive);
    }
}
