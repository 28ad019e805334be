package dev.shellac.translate;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.attach.Attachments;
import dev.shellac.translate.attach.BoundGateway;
import dev.shellac.translate.attach.Gateways;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RouteTask;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.BackendTls;
import dev.shellac.translate.resolve.Backends;
import dev.shellac.translate.resolve.CachePolicies;
import dev.shellac.translate.resolve.Grants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Translates one snapshot after another. The outcome is that of the snapshot alone; from the last translation it keeps the
 * routes and hosts that came out of equal inputs, so that the change of one route compiles one route and sorts its
 * hosts. Not for use by several threads at once.
 */
public final class Translator {
    private record Compilation(RouteTask task, CompiledRoute result) {}

    private record HostKey(Name gateway, Hostname hostname) {}

    private record Sorting(List<RoutePlan> unsorted, HostPlan result) {}

    private final Settings settings;
    private Map<Name, Compilation> compilations = Map.of();
    private Map<HostKey, Sorting> sortings = Map.of();
    private int compiled;
    private int sorted;

    public Translator(Settings settings) {
        this.settings = settings;
    }

    public Outcome translate(Snapshot snapshot) {
        compiled = 0;
        sorted = 0;
        Gateways gateways = Gateways.bind(snapshot, settings.controllerName());
        BackendTls backendTls = BackendTls.of(snapshot);
        CachePolicies caches = CachePolicies.of(snapshot);
        var backends = new Backends(snapshot, new Grants(snapshot), backendTls);
        var attachments = new Attachments(snapshot, gateways, settings.missingParents());
        var routes = new TreeMap<Name, JudgedRoute>();
        var fresh = new HashMap<Name, Compilation>();
        for (HttpRoute route : snapshot.all(HttpRoute.class)) {
            if (route.meta().deleted().isEmpty()) {
                List<Attachment> attached = attachments.of(route);
                RouteTask task = task(route, attached, backends, caches);
                Compilation compilation = compile(task);
                fresh.put(route.meta().name(), compilation);
                routes.put(route.meta().name(), new JudgedRoute(route, attached, compilation.result()));
            }
        }
        compilations = fresh;
        Map<Name, List<HostPlan>> hosts = hosts(gateways, routes);
        return new Judgement(settings, snapshot, gateways, routes).outcome(hosts, backendTls, caches);
    }

    /** How many routes the last translation compiled, and how many hosts it sorted, for tests and benchmarks. */
    public Work lastWork() {
        return new Work(compiled, sorted);
    }

    /** What a translation could not take over from the one before. */
    public record Work(int compiledRoutes, int sortedHosts) {}

    private static RouteTask task(HttpRoute route, List<Attachment> attached, Backends backends, CachePolicies caches) {
        Name name = route.meta().name();
        var resolved = new HashMap<BackendRef, Backend>();
        route.rules().stream()
                .flatMap(RouteCompiler::references)
                .forEach(ref -> resolved.computeIfAbsent(ref, found -> backends.resolve(route.id(), found)));
        var placements = new TreeMap<Name, RouteTask.Placement>();
        attached.stream()
                .filter(attachment -> attachment.refusal().isEmpty())
                .flatMap(attachment -> attachment.gateway().stream())
                .distinct()
                .forEach(gateway -> placements.put(
                        gateway,
                        new RouteTask.Placement(
                                Attachments.placement(route, attached, gateway), caches.ofGateway(gateway))));
        return new RouteTask(
                name,
                route.meta().created(),
                route.rules(),
                resolved,
                route.rules().stream()
                        .map(rule -> caches.ofRule(name, rule.name()))
                        .toList(),
                placements);
    }

    private Compilation compile(RouteTask task) {
        Compilation before = compilations.get(task.route());
        if (before != null && before.task().equals(task)) {
            return before;
        }
        compiled++;
        return new Compilation(task, RouteCompiler.compile(task));
    }

    private Map<Name, List<HostPlan>> hosts(Gateways gateways, Map<Name, JudgedRoute> routes) {
        var fresh = new HashMap<HostKey, Sorting>();
        var unsorted = new HashMap<Name, TreeMap<Hostname, List<RoutePlan>>>();
        routes.values()
                .forEach(route -> route.compiled()
                        .plans()
                        .forEach((gateway, byHost) -> byHost.forEach(
                                (hostname, plans) -> unsorted.computeIfAbsent(gateway, name -> new TreeMap<>())
                                        .computeIfAbsent(hostname, name -> new ArrayList<>())
                                        .addAll(plans))));
        var hosts = new HashMap<Name, List<HostPlan>>();
        for (BoundGateway gateway : gateways.byName().values()) {
            var plans = new ArrayList<HostPlan>();
            unsorted.getOrDefault(gateway.name(), new TreeMap<>()).forEach((hostname, found) -> {
                Sorting sorting = sort(new HostKey(gateway.name(), hostname), found);
                fresh.put(new HostKey(gateway.name(), hostname), sorting);
                plans.add(sorting.result());
            });
            hosts.put(gateway.name(), plans);
        }
        sortings = fresh;
        return hosts;
    }

    private Sorting sort(HostKey key, List<RoutePlan> unsorted) {
        Sorting before = sortings.get(key);
        if (before != null && before.unsorted().equals(unsorted)) {
            return before;
        }
        sorted++;
        List<RoutePlan> ordered =
                unsorted.stream().sorted(Precedence.FIRST_TRIED_FIRST).toList();
        return new Sorting(List.copyOf(unsorted), new HostPlan(key.hostname(), ordered));
    }
}
