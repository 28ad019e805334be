package dev.shellac.translate.plan;

import dev.shellac.model.Copies;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Rule;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.CacheRules;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that the compilation of a route depends on, and nothing else: two equal tasks compile to equal results, so the
 * result of the last one can be used again.
 *
 * @param backends what each reference of the rules stands for
 * @param caches for each rule, the policy of the rule or its route
 * @param placements for each Gateway that it attached to
 */
public record RouteTask(
        Name route,
        Optional<Instant> created,
        List<Rule> rules,
        Map<BackendRef, Backend> backends,
        List<Optional<CacheRules>> caches,
        Map<Name, Placement> placements) {
    /** Where a route stands in a Gateway, and the Gateway's own cache policy. */
    public record Placement(Map<Hostname, List<String>> listeners, Optional<CacheRules> cache) {
        public Placement {
            listeners = Copies.of(listeners);
        }
    }

    public RouteTask {
        rules = List.copyOf(rules);
        backends = Map.copyOf(new HashMap<>(backends));
        caches = List.copyOf(caches);
        placements = Copies.of(placements);
    }

    Backend backend(BackendRef ref) {
        Backend found = backends.get(ref);
        if (found == null) {
            throw new IllegalStateException("nobody resolved " + ref.target() + " for " + route);
        }
        return found;
    }
}
