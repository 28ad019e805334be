package dev.shellac.translate.plan;

import dev.shellac.model.Name;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/** Gateway API: the oldest route wins, then the first in alphabetical order. A route that was never in a cluster counts as newest. */
public record RouteAge(Optional<Instant> created, Name route) implements Comparable<RouteAge> {
    private static final Comparator<RouteAge> ORDER = Comparator.<RouteAge, Instant>comparing(
                    age -> age.created().orElse(Instant.MAX))
            .thenComparing(age -> age.route().toString());

    @Override
    public int compareTo(RouteAge other) {
        return ORDER.compare(this, other);
    }
}
