package dev.shellac.cli.analysis;

import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.plan.RoutePlan;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The listeners of plans by key, and the keys of those that each route is attached to. */
record PlannedListeners(Map<String, ListenerPlan> listeners, Map<Name, Set<String>> routes) {
    static PlannedListeners of(Stream<GatewayPlan> plans) {
        var listeners = new HashMap<String, ListenerPlan>();
        var routes = new HashMap<Name, Set<String>>();
        plans.forEach(plan -> {
            plan.listeners().forEach(listener -> listeners.put(listener.key(), listener));
            for (HostPlan host : plan.hosts()) {
                for (RoutePlan route : host.routes()) {
                    routes.computeIfAbsent(route.origin().route(), name -> new HashSet<>())
                            .addAll(route.listeners());
                }
            }
        });
        return new PlannedListeners(Map.copyOf(listeners), routes);
    }

    boolean has(ResourceId owner, String name) {
        return listeners.values().stream()
                .anyMatch(listener ->
                        listener.owner().equals(owner) && listener.name().equals(name));
    }

    /** The names of this owner's listeners that a route is attached to. */
    Set<String> names(ResourceId owner, Name route) {
        return routes.getOrDefault(route, Set.of()).stream()
                .flatMap(key -> Optional.ofNullable(listeners.get(key)).stream())
                .filter(listener -> listener.owner().equals(owner))
                .map(ListenerPlan::name)
                .collect(Collectors.toSet());
    }
}
