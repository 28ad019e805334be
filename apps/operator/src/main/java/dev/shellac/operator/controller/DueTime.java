package dev.shellac.operator.controller;

import dev.shellac.model.gateway.Gateway;
import dev.shellac.operator.pods.DataPlanes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;

/** When the first of many things is due. */
final class DueTime {
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final Instant now;
    private Instant due;

    DueTime(Instant now) {
        this.now = now;
        this.due = now.plus(IDLE);
    }

    void at(Optional<Instant> time) {
        due = time.filter(other -> other.isBefore(due)).orElse(due);
    }

    void of(GatewayConfigWriter configWriter) {
        at(configWriter.retryAt());
        at(configWriter.flushAt());
        at(configWriter.compactAt());
        at(configWriter.certificates().due(now));
    }

    /** An address that was asked for has its time too. */
    void ofAddresses(Gateway gateway, GatewayConfigWriter configWriter) {
        configWriter
                .asked(new HashSet<>(DataPlanes.asked(gateway)), now)
                .values()
                .forEach(since -> at(Optional.of(since.plus(DataPlanes.GRANTED_WITHIN))));
    }

    Duration left() {
        Duration left = Duration.between(now, due);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
