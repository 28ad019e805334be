package dev.shellac.model.route;

import java.util.List;
import java.util.Optional;

/** A rule: what matches any of {@code matches} is filtered and goes to one of {@code backends}. */
public record Rule(
        Optional<String> name,
        List<Match> matches,
        List<Filter> filters,
        List<BackendRef> backends,
        Timeouts timeouts,
        Optional<Retry> retry,
        Optional<SessionPersistence> sessionPersistence) {
    public Rule {
        matches = List.copyOf(matches);
        filters = List.copyOf(filters);
        backends = List.copyOf(backends);
    }
}
