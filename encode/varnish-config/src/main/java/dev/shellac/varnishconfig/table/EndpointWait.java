package dev.shellac.varnishconfig.table;

import dev.shellac.model.Name;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * How a new version of a route waits for endpoints.
 *
 * @param known whether the endpoints of a Service are known
 * @param now the time of this table
 * @param longest how long a version waits for a Service before it is served without
 */
public record EndpointWait(Predicate<Name> known, Instant now, Duration longest) {
    /** Nobody waits, because all endpoints are known. */
    public static EndpointWait none() {
        return new EndpointWait(service -> true, Instant.EPOCH, Duration.ZERO);
    }
}
