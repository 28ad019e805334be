package dev.shellac.translate;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.persistent.Counts;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.RouteIndex.Reach;
import dev.shellac.translate.RouteIndex.Use;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RoutePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes into a ledger what was decided anew, route by route, and notes what else must be said anew because of it. */
final class RouteIndexEdit {
    private record HostEdit(List<RoutePlan> gone, List<RoutePlan> come) {}

    private PersistentMap<Name, TranslatedRoute> translated;
    private PersistentMap<Use, Name> users;
    private Counts<String> attached;
    private Counts<Reach> reached;
    private PersistentMap<Name, PersistentMap<Hostname, HostPlan>> hosts;
    private final Map<Name, Map<Hostname, HostEdit>> edits = new TreeMap<>();
    private final Set<Name> routes = new TreeSet<>();
    private final Set<Name> gateways = new TreeSet<>();
    private final Set<ResourceId> targets = new TreeSet<>();
    private int changedHosts;

    RouteIndexEdit(RouteIndex index) {
        this.translated = index.routes();
        this.users = index.users();
        this.attached = index.attached();
        this.reached = index.reached();
        this.hosts = index.hosts();
    }

    /** A route that is no more has no judgement. */
    void replace(Name route, Optional<TranslatedRoute> after) {
        Optional<TranslatedRoute> before = Optional.ofNullable(translated.get(route));
        if (before.equals(after)) {
            return;
        }
        routes.add(route);
        translated = after.map(found -> translated.with(route, found)).orElseGet(() -> translated.without(route));
        replaceUses(route, set(before, TranslatedRoute::targets), set(after, TranslatedRoute::targets));
        replaceReaches(set(before, TranslatedRoute::reaches), set(after, TranslatedRoute::reaches));
        if (replaceAttached(set(before, TranslatedRoute::listeners), set(after, TranslatedRoute::listeners))) {
            gateways.addAll(set(before, TranslatedRoute::gateways));
            gateways.addAll(set(after, TranslatedRoute::gateways));
        }
        replacePlans(plans(before), plans(after));
    }

    /** The routes about which something else was decided. */
    Set<Name> routes() {
        return routes;
    }

    /** The Gateways whose hosts or counts of routes changed. */
    Set<Name> gateways() {
        return gateways;
    }

    /** The objects that other Gateways, or more or less of them, send requests to. */
    Set<ResourceId> targets() {
        return targets;
    }

    int changedHosts() {
        return changedHosts;
    }

    RouteIndex build(TableRoom room) {
        edits.forEach((gateway, byHost) -> {
            PersistentMap<Hostname, HostPlan> next =
                    Optional.ofNullable(hosts.get(gateway)).orElseGet(PersistentMap::empty);
            for (Map.Entry<Hostname, HostEdit> edit : byHost.entrySet()) {
                PersistentList<RoutePlan> plans = edited(next.get(edit.getKey()), edit.getValue());
                next = plans.isEmpty()
                        ? next.without(edit.getKey())
                        : next.with(edit.getKey(), new HostPlan(edit.getKey(), plans));
            }
            hosts = next.isEmpty() ? hosts.without(gateway) : hosts.with(gateway, next);
            changedHosts += byHost.size();
        });
        edits.clear();
        return new RouteIndex(translated, users, attached, reached, hosts, room);
    }

    private static PersistentList<RoutePlan> edited(@Nullable HostPlan before, HostEdit edit) {
        if (before == null) {
            return PersistentList.of(Precedence.FIRST_TRIED_FIRST, edit.come());
        }
        PersistentList<RoutePlan> plans = before.routes();
        for (RoutePlan plan : edit.gone()) {
            plans = plans.without(plan);
        }
        for (RoutePlan plan : edit.come()) {
            plans = plans.with(plan);
        }
        return plans;
    }

    private void replaceUses(Name route, Set<ResourceId> before, Set<ResourceId> after) {
        for (ResourceId target : before) {
            if (!after.contains(target)) {
                users = users.without(new Use(target, route));
            }
        }
        for (ResourceId target : after) {
            if (!before.contains(target)) {
                users = users.with(new Use(target, route), route);
            }
        }
    }

    private void replaceReaches(Set<Reach> before, Set<Reach> after) {
        for (Reach reach : before) {
            if (!after.contains(reach)) {
                reached = reached.minus(reach);
                targets.add(reach.target());
            }
        }
        for (Reach reach : after) {
            if (!before.contains(reach)) {
                reached = reached.plus(reach);
                targets.add(reach.target());
            }
        }
    }

    private boolean replaceAttached(Set<String> before, Set<String> after) {
        for (String listener : before) {
            if (!after.contains(listener)) {
                attached = attached.minus(listener);
            }
        }
        for (String listener : after) {
            if (!before.contains(listener)) {
                attached = attached.plus(listener);
            }
        }
        return !before.equals(after);
    }

    private void replacePlans(
            Map<Name, Map<Hostname, List<RoutePlan>>> before, Map<Name, Map<Hostname, List<RoutePlan>>> after) {
        before.forEach((gateway, byHost) -> byHost.forEach((host, plans) -> {
            if (!plans.equals(find(after, gateway, host))) {
                edit(gateway, host).gone().addAll(plans);
            }
        }));
        after.forEach((gateway, byHost) -> byHost.forEach((host, plans) -> {
            if (!plans.equals(find(before, gateway, host))) {
                edit(gateway, host).come().addAll(plans);
            }
        }));
    }

    private HostEdit edit(Name gateway, Hostname host) {
        gateways.add(gateway);
        return edits.computeIfAbsent(gateway, name -> new TreeMap<>())
                .computeIfAbsent(host, name -> new HostEdit(new ArrayList<>(), new ArrayList<>()));
    }

    private static List<RoutePlan> find(Map<Name, Map<Hostname, List<RoutePlan>>> plans, Name gateway, Hostname host) {
        return plans.getOrDefault(gateway, Map.of()).getOrDefault(host, List.of());
    }

    private static Map<Name, Map<Hostname, List<RoutePlan>>> plans(Optional<TranslatedRoute> route) {
        return route.map(found -> found.compiled().plans()).orElse(Map.of());
    }

    private static <T> Set<T> set(Optional<TranslatedRoute> route, Function<TranslatedRoute, Stream<T>> part) {
        return route.map(found -> part.apply(found).collect(Collectors.toSet())).orElse(Set.of());
    }
}
