package dev.shellac.varnishconfig.table;

import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.resolve.Backend;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A host with the JSON of its routes, one on a line.
 *
 * @param backends those that need a pool
 */
record HostJson(
        HostPlan plan, List<Encoded<RoutePlan>> routes, Set<Backend.Serving> backends, Encoded<HostPlan> value) {
    /** Takes over from {@code last} all that did not change. */
    static HostJson of(HostPlan plan, @Nullable HostJson last) {
        if (last != null && last.plan.equals(plan)) {
            return last;
        }
        List<Encoded<RoutePlan>> routes = routes(plan, last);
        Set<Backend.Serving> backends =
                plan.routes().stream().flatMap(RouteJson::backends).collect(Collectors.toUnmodifiableSet());
        var json = new ByteSink().add("{\"routes\":[");
        String between = "\n";
        for (Encoded<RoutePlan> route : routes) {
            json.add(between).add(route.json());
            between = ",\n";
        }
        json.add(routes.isEmpty() ? "]}" : "\n]}");
        return new HostJson(plan, routes, backends, new Encoded<>(plan, json.bytes()));
    }

    // By identity: the translator hands out the same object for a route that did not change, and to hash all of them
    // would cost more than to encode the few that are new.
    private static List<Encoded<RoutePlan>> routes(HostPlan plan, @Nullable HostJson last) {
        Map<RoutePlan, Encoded<RoutePlan>> known = last == null
                ? Map.of()
                : last.routes.stream()
                        .collect(Collectors.toMap(
                                Encoded::source, Function.identity(), (first, second) -> first, IdentityHashMap::new));
        return plan.routes().stream()
                .map(route -> {
                    Encoded<RoutePlan> found = known.get(route);
                    return found == null ? new Encoded<>(route, RouteJson.encode(route)) : found;
                })
                .toList();
    }
}
