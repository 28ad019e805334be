package dev.shellac.translate.plan;

import dev.shellac.model.route.Match;
import dev.shellac.model.route.Retry;
import dev.shellac.model.route.Timeouts;
import dev.shellac.translate.resolve.CacheRules;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * One match of one rule, below one hostname.
 *
 * @param match with its path in normal form, which is what decides about order and size
 * @param listeners keys of the listeners that it serves, of all that the Gateway has
 */
public record RoutePlan(Origin origin, Match match, List<String> listeners, Action action) {
    public RoutePlan {
        listeners = List.copyOf(listeners);
    }

    /** What becomes of a request that matches. */
    public sealed interface Action {
        /** Filtered, then sent to a backend by weight, or redirected; with no backend and no redirect, 500. */
        record Serve(
                FilterPlan filters,
                List<BackendShare> backends,
                Timeouts timeouts,
                Optional<Retry> retry,
                Optional<CacheRules> cache)
                implements Action {
            public Serve {
                backends = List.copyOf(backends);
            }
        }

        /** Answered with 500: the rule asks for something that cannot be done, and to leave it out would be worse. */
        record Refuse(Refusal why) implements Action {}
    }
}
