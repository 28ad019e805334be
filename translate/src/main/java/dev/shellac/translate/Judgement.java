package dev.shellac.translate;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.translate.attach.BoundGateway;
import dev.shellac.translate.attach.BoundListener;
import dev.shellac.translate.attach.Gateways;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.resolve.BackendTls;
import dev.shellac.translate.resolve.CachePolicies;
import dev.shellac.translate.resolve.Parameters;
import dev.shellac.translate.status.GatewayStatuses;
import dev.shellac.translate.status.PolicyStatuses;
import dev.shellac.translate.status.Statuses;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The last two steps: what was decided about each object becomes plans and statuses. */
record Judgement(Settings settings, World world, Map<Name, JudgedRoute> routes) {
    Outcome outcome(Map<Name, List<HostPlan>> hosts) {
        Gateways gateways = world.gateways();
        var plans = new TreeMap<Name, GatewayPlan>();
        gateways.byName().forEach((name, bound) -> {
            if (bound.refusal().isEmpty()) {
                plans.put(name, plan(bound, hosts.getOrDefault(name, List.of())));
            }
        });
        GatewayStatuses counted = counted();
        return new Outcome(
                plans,
                new Statuses(
                        classes(),
                        gatewayStatuses(counted),
                        listenerSets(counted),
                        routeStatuses(),
                        backendTlsStatuses(world.backendTls()),
                        cacheStatuses(world.caches())));
    }

    private GatewayPlan plan(BoundGateway bound, List<HostPlan> hosts) {
        return new GatewayPlan(
                bound.name(),
                bound.all()
                        .filter(BoundListener::isServing)
                        .map(Judgement::plan)
                        .toList(),
                hosts,
                bound.clientCertificate(),
                Parameters.of(world.snapshot()).userVcl(bound.gateway()));
    }

    private static ListenerPlan plan(BoundListener bound) {
        return new ListenerPlan(
                bound.key(),
                bound.owner(),
                bound.listener().name(),
                bound.listener().hostname(),
                bound.listener().port(),
                bound.listener().protocol(),
                bound.certificates(),
                bound.clients());
    }

    private Map<Name, GatewayClassStatus> classes() {
        var statuses = new TreeMap<Name, GatewayClassStatus>();
        world.gateways()
                .classes()
                .forEach(ours -> statuses.put(
                        ours.meta().name(),
                        GatewayStatuses.of(
                                ours, Parameters.of(world.snapshot()).refusal(ours), settings.supportedFeatures())));
        return statuses;
    }

    private GatewayStatuses counted() {
        var attached = new HashMap<String, Integer>();
        routes.values()
                .forEach(route -> route.accepted()
                        .flatMap(attachment -> attachment.listeners().stream())
                        .map(BoundListener::key)
                        .distinct()
                        .forEach(key -> attached.merge(key, 1, Integer::sum)));
        return new GatewayStatuses(attached);
    }

    private Map<Name, GatewayStatus> gatewayStatuses(GatewayStatuses counted) {
        var statuses = new TreeMap<Name, GatewayStatus>();
        world.gateways()
                .byName()
                .forEach((name, bound) ->
                        statuses.put(name, counted.of(bound, world.snapshot().dataPlane(name))));
        return statuses;
    }

    private Map<Name, ListenerSetStatus> listenerSets(GatewayStatuses counted) {
        var statuses = new TreeMap<Name, ListenerSetStatus>();
        world.gateways()
                .byName()
                .forEach((name, bound) -> bound.sets()
                        .forEach(set -> statuses.put(
                                set.set().meta().name(),
                                counted.of(set, bound, world.snapshot().dataPlane(name)))));
        return statuses;
    }

    private Map<Name, RouteStatus> routeStatuses() {
        var statuses = new TreeMap<Name, RouteStatus>();
        routes.forEach((name, route) -> route.status().ifPresent(status -> statuses.put(name, status)));
        return statuses;
    }

    private Map<Name, PolicyStatus> backendTlsStatuses(BackendTls table) {
        if (table.verdicts().isEmpty()) {
            return Map.of();
        }
        Map<ResourceId, Set<ResourceId>> users = users();
        var writer = new PolicyStatuses(settings.controllerName());
        var statuses = new TreeMap<Name, PolicyStatus>();
        for (BackendTls.Verdict verdict : table.verdicts()) {
            BackendTlsPolicy policy = verdict.policy();
            var ancestors = new TreeSet<ResourceId>();
            policy.targets().stream()
                    .map(target ->
                            ResourceId.of(target.type(), policy.meta().name().namespace(), target.name()))
                    .forEach(target -> ancestors.addAll(users.getOrDefault(target, Set.of())));
            writer.of(verdict, ancestors)
                    .ifPresent(status -> statuses.put(policy.meta().name(), status));
        }
        return statuses;
    }

    /** By Service, the Gateways whose routes send requests or copies there. */
    private Map<ResourceId, Set<ResourceId>> users() {
        var users = new HashMap<ResourceId, Set<ResourceId>>();
        routes.forEach((name, route) -> {
            List<ResourceId> reached = route.gateways().map(Judgement::gateway).toList();
            route.route().rules().stream()
                    .flatMap(RouteCompiler::references)
                    .map(ref -> ref.target().resolve(name.namespace()))
                    .forEach(target -> users.computeIfAbsent(target, key -> new TreeSet<>())
                            .addAll(reached));
        });
        return users;
    }

    private Map<Name, PolicyStatus> cacheStatuses(CachePolicies table) {
        var writer = new PolicyStatuses(settings.controllerName());
        var statuses = new TreeMap<Name, PolicyStatus>();
        for (CachePolicies.Verdict verdict : table.verdicts()) {
            CachePolicy policy = verdict.policy();
            Name target =
                    new Name(policy.meta().name().namespace(), policy.target().name());
            writer.of(verdict, gatewaysBehind(policy.target().type(), target))
                    .ifPresent(status -> statuses.put(policy.meta().name(), status));
        }
        return statuses;
    }

    private List<ResourceId> gatewaysBehind(GroupKind type, Name target) {
        if (type.equals(GroupKind.GATEWAY)) {
            return world.gateways().find(target).map(bound -> gateway(bound.name())).stream()
                    .toList();
        }
        return type.equals(GroupKind.HTTP_ROUTE)
                ? Optional.ofNullable(routes.get(target)).stream()
                        .flatMap(JudgedRoute::gateways)
                        .map(Judgement::gateway)
                        .sorted()
                        .toList()
                : List.of();
    }

    private static ResourceId gateway(Name name) {
        return new ResourceId(GroupKind.GATEWAY, name);
    }
}
