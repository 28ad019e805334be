package dev.shellac.explain;

import dev.shellac.explain.table.Route.Timeouts;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits of the first attempt, in milliseconds.
 *
 * @param connect {@code inherit}, {@code never}, or a number
 * @param deadline when it must be over, body included
 */
public record Attempt(String connect, String firstByte, String betweenBytes, Optional<Long> deadline) {
    /** Nothing where the route sets no limit. */
    public static Optional<Attempt> of(Timeouts timeouts) {
        boolean none = Stream.of(
                        timeouts.connect(),
                        timeouts.firstByte(),
                        timeouts.betweenBytes(),
                        timeouts.request(),
                        timeouts.backendRequest())
                .allMatch(Optional::isEmpty);
        if (none) {
            return Optional.empty();
        }
        Optional<Long> deadline = Stream.of(timeouts.backendRequest(), timeouts.request())
                .flatMap(Optional::stream)
                .filter(ms -> ms > 0)
                .min(Long::compare);
        return Optional.of(new Attempt(
                within(timeouts.connect(), deadline),
                within(timeouts.firstByte(), deadline),
                within(timeouts.betweenBytes(), deadline),
                deadline));
    }

    private static String within(Optional<Long> limit, Optional<Long> deadline) {
        return Stream.of(limit.filter(ms -> ms > 0), deadline)
                .flatMap(Optional::stream)
                .min(Long::compare)
                .map(ms -> Long.toString(ms))
                .orElse(limit.isPresent() ? "never" : "inherit");
    }
}
