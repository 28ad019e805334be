package dev.shellac.model.route;

import java.util.List;
import java.util.Optional;

/** One match: all of its parts must hold. */
public record Match(PathMatch path, List<HeaderMatch> headers, List<QueryMatch> queryParams, Optional<String> method) {
    /** A header, by name without regard to case. */
    public record HeaderMatch(String name, ValueMatch value) {}

    /** A query parameter, by its exact name. */
    public record QueryMatch(String name, ValueMatch value) {}

    public Match {
        headers = List.copyOf(headers);
        queryParams = List.copyOf(queryParams);
    }
}
