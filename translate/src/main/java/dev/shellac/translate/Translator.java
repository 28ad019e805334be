package dev.shellac.translate;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.attach.Gateways;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RouteTask;
import dev.shellac.translate.resolve.CachePolicies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Translates one snapshot after another. The outcome is that of the snapshot alone; from the last translation it keeps the
 * routes and hosts that came out of equal inputs, so that the change of one route compiles one route and sorts its
 * hosts. Not for use by several threads at once.
 */
public final class Translator {
    private record Sorting(List<RoutePlan> unsorted, HostPlan result) {}

    private final Settings settings;
    private Optional<World> world = Optional.empty();
    private Map<Name, JudgedRoute> judged = Map.of();
    private Map<Name, Map<Hostname, Sorting>> sortings = Map.of();
    private int compiled;
    private int sorted;

    public Translator(Settings settings) {
        this.settings = settings;
    }

    public Outcome translate(Snapshot snapshot) {
        compiled = 0;
        sorted = 0;
        CachePolicies caches = CachePolicies.of(snapshot);
        Optional<World> same = world.filter(before -> before.isStillThatOf(snapshot, caches));
        World now = same.orElseGet(() -> World.of(settings, snapshot, caches));
        var routes = new TreeMap<Name, JudgedRoute>();
        for (HttpRoute route : snapshot.all(HttpRoute.class)) {
            Name name = route.meta().name();
            if (route.meta().deleted().isEmpty()) {
                JudgedRoute before = judged.get(name);
                boolean unchanged =
                        same.isPresent() && before != null && before.route().equals(route);
                routes.put(name, unchanged ? before : judge(now, route));
            }
        }
        world = Optional.of(now);
        judged = routes;
        return new Judgement(settings, now, routes).outcome(hosts(now.gateways(), routes));
    }

    /** How many routes the last translation compiled, and how many hosts it sorted, for tests and benchmarks. */
    public Work lastWork() {
        return new Work(compiled, sorted);
    }

    /** What a translation could not take over from the one before. */
    public record Work(int compiledRoutes, int sortedHosts) {}

    private JudgedRoute judge(World now, HttpRoute route) {
        List<Attachment> attached = now.attach(route);
        RouteTask task = now.task(route, attached);
        CompiledRoute result = compile(task);
        return new JudgedRoute(route, attached, task, result, now.status(route, attached, result));
    }

    private CompiledRoute compile(RouteTask task) {
        JudgedRoute before = judged.get(task.route());
        if (before != null && before.task().equals(task)) {
            return before.compiled();
        }
        compiled++;
        return RouteCompiler.compile(task);
    }

    private Map<Name, List<HostPlan>> hosts(Gateways gateways, Map<Name, JudgedRoute> routes) {
        var unsorted = new HashMap<Name, Map<Hostname, List<RoutePlan>>>();
        routes.values()
                .forEach(route -> route.compiled()
                        .plans()
                        .forEach((gateway, byHost) -> byHost.forEach(
                                (hostname, plans) -> unsorted.computeIfAbsent(gateway, name -> new HashMap<>())
                                        .merge(hostname, plans, Translator::joined))));
        var fresh = new HashMap<Name, Map<Hostname, Sorting>>();
        var hosts = new HashMap<Name, List<HostPlan>>();
        for (Name gateway : gateways.byName().keySet()) {
            Map<Hostname, Sorting> before = sortings.getOrDefault(gateway, Map.of());
            var sortingsOfGateway = new TreeMap<Hostname, Sorting>();
            unsorted.getOrDefault(gateway, Map.of())
                    .forEach((hostname, found) ->
                            sortingsOfGateway.put(hostname, sort(hostname, found, before.get(hostname))));
            fresh.put(gateway, sortingsOfGateway);
            hosts.put(
                    gateway,
                    sortingsOfGateway.values().stream().map(Sorting::result).toList());
        }
        sortings = fresh;
        return hosts;
    }

    private static List<RoutePlan> joined(List<RoutePlan> some, List<RoutePlan> more) {
        // The first list belongs to a compiled route; from the second on it is a list of our own.
        List<RoutePlan> all = some instanceof ArrayList<RoutePlan> own ? own : new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private Sorting sort(Hostname hostname, List<RoutePlan> unsorted, @Nullable Sorting before) {
        if (before != null && before.unsorted().equals(unsorted)) {
            return before;
        }
        sorted++;
        List<RoutePlan> ordered =
                unsorted.stream().sorted(Precedence.FIRST_TRIED_FIRST).toList();
        return new Sorting(List.copyOf(unsorted), new HostPlan(hostname, ordered));
    }
}
