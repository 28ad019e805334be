package dev.shellac.translate;

import dev.shellac.model.DataPlane;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.translate.attach.BoundGateway;
import dev.shellac.translate.attach.BoundListener;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.BackendTls;
import dev.shellac.translate.resolve.CachePolicies;
import dev.shellac.translate.resolve.Parameters;
import dev.shellac.translate.status.GatewayStatuses;
import dev.shellac.translate.status.InvalidationStatuses;
import dev.shellac.translate.status.PolicyStatuses;
import dev.shellac.translate.status.Statuses;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The last two steps: what was decided about each object becomes plans and statuses. What nothing changed about stays as it
 * was in the outcome before.
 *
 * @param edit what changed in the ledger
 */
record OutcomeBuilder(SnapshotDelta delta, RouteIndex index, RouteIndexEdit edit, Outcome before) {
    Outcome build() {
        Set<Name> gateways = gateways();
        var counted = new GatewayStatuses(index.attached().counts());
        return new Outcome(
                plans(gateways),
                new Statuses(
                        delta.rebound() ? classes() : before.statuses().gatewayClasses(),
                        gatewayStatuses(gateways, counted),
                        listenerSets(gateways, counted),
                        routeStatuses(),
                        backendTlsStatuses(),
                        cacheStatuses(),
                        invalidationStatuses()));
    }

    /** Those that something is to be said about, and those that are no more. */
    private Set<Name> gateways() {
        var gateways = new TreeSet<>(edit.gateways());
        delta.reports().map(Change::key).forEach(gateways::add);
        if (delta.rebound()) {
            gateways.addAll(delta.before().gateways().byName().keySet());
            gateways.addAll(delta.now().gateways().byName().keySet());
        }
        return gateways;
    }

    private PersistentMap<Name, GatewayPlan> plans(Set<Name> gateways) {
        PersistentMap<Name, GatewayPlan> plans = PersistentMap.of(before.plans());
        for (Name name : gateways) {
            plans = replaced(
                    plans,
                    name,
                    find(name).filter(bound -> bound.refusal().isEmpty()).map(this::plan));
        }
        return plans;
    }

    private GatewayPlan plan(BoundGateway bound) {
        Parameters parameters = Parameters.of(delta.now().snapshot());
        return new GatewayPlan(
                bound.name(),
                bound.all()
                        .filter(BoundListener::isServing)
                        .map(OutcomeBuilder::plan)
                        .toList(),
                index.hostsOf(bound.name()).values(),
                bound.clientCertificate(),
                parameters.userVcl(bound.gateway()),
                clients(bound).filter(clients -> !clients.equals(Clients.USUAL)));
    }

    private Optional<Clients> clients(BoundGateway bound) {
        return Parameters.of(delta.now().snapshot()).of(bound.gateway()).map(GatewayClassParameters::clients);
    }

    private List<String> warnings(BoundGateway bound) {
        return Parameters.of(delta.now().snapshot()).warnings(bound.gateway());
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
        TranslationContext context = delta.now();
        var statuses = new TreeMap<Name, GatewayClassStatus>();
        context.gateways()
                .classes()
                .forEach(ours -> statuses.put(
                        ours.meta().name(),
                        GatewayStatuses.of(
                                ours,
                                Parameters.of(context.snapshot()),
                                context.settings().supportedFeatures())));
        return statuses;
    }

    private PersistentMap<Name, GatewayStatus> gatewayStatuses(Set<Name> gateways, GatewayStatuses counted) {
        PersistentMap<Name, GatewayStatus> statuses =
                PersistentMap.of(before.statuses().gateways());
        for (Name name : gateways) {
            statuses =
                    replaced(statuses, name, find(name).map(bound -> counted.of(bound, report(name), warnings(bound))));
        }
        return statuses;
    }

    private PersistentMap<Name, ListenerSetStatus> listenerSets(Set<Name> gateways, GatewayStatuses counted) {
        PersistentMap<Name, ListenerSetStatus> statuses = delta.rebound()
                ? PersistentMap.empty()
                : PersistentMap.of(before.statuses().listenerSets());
        for (Name name : gateways) {
            Optional<BoundGateway> found = find(name);
            for (BoundGateway.BoundSet set : found.map(BoundGateway::sets).orElse(List.of())) {
                statuses = replaced(
                        statuses, set.set().meta().name(), found.map(bound -> counted.of(set, bound, report(name))));
            }
        }
        return statuses;
    }

    private PersistentMap<Name, RouteStatus> routeStatuses() {
        PersistentMap<Name, RouteStatus> statuses =
                PersistentMap.of(before.statuses().httpRoutes());
        for (Name name : edit.routes()) {
            statuses = replaced(statuses, name, index.find(name).flatMap(TranslatedRoute::status));
        }
        return statuses;
    }

    private PersistentMap<Name, PolicyStatus> backendTlsStatuses() {
        BackendTls table = delta.now().backendTls();
        PersistentMap<Name, PolicyStatus> statuses = delta.retrusted()
                ? PersistentMap.empty()
                : PersistentMap.of(before.statuses().backendTlsPolicies());
        Collection<BackendTls.Verdict> concerned = delta.retrusted()
                ? table.verdicts()
                : edit.targets().stream()
                        .flatMap(target -> table.verdictsAbout(target).stream())
                        .toList();
        var writer = new PolicyStatuses(delta.now().settings().controllerName());
        for (BackendTls.Verdict verdict : concerned) {
            BackendTlsPolicy policy = verdict.policy();
            var ancestors = new TreeSet<ResourceId>();
            BackendTls.targets(policy)
                    .flatMap(target -> index.gatewaysTo(target).stream())
                    .forEach(gateway -> ancestors.add(gateway(gateway)));
            statuses = replaced(statuses, policy.meta().name(), writer.of(verdict, ancestors));
        }
        return statuses;
    }

    private PersistentMap<Name, PolicyStatus> cacheStatuses() {
        CachePolicies table = delta.now().caches();
        PersistentMap<Name, PolicyStatus> statuses = delta.rebound()
                ? PersistentMap.empty()
                : PersistentMap.of(before.statuses().cachePolicies());
        var writer = new PolicyStatuses(delta.now().settings().controllerName());
        for (Name name : cachePolicies(table)) {
            Optional<CachePolicies.Verdict> found =
                    Optional.ofNullable(table.verdicts().get(name));
            statuses = replaced(
                    statuses, name, found.flatMap(verdict -> writer.of(verdict, gatewaysBehind(verdict.policy()))));
        }
        return statuses;
    }

    private Map<Name, CacheInvalidationStatus> invalidationStatuses() {
        return delta.rebound() || delta.isInvalidating()
                ? InvalidationStatuses.of(delta.now().snapshot(), delta.now().gateways())
                : before.statuses().cacheInvalidations();
    }

    private Set<Name> cachePolicies(CachePolicies table) {
        if (delta.rebound()) {
            return table.verdicts().keySet();
        }
        var concerned = new TreeSet<Name>();
        table.verdicts()
                .changesSince(delta.before().caches().verdicts())
                .forEach(change -> concerned.add(change.key()));
        edit.routes().stream()
                .flatMap(route -> table.of(new ResourceId(GroupKind.HTTP_ROUTE, route)).stream())
                .forEach(policy -> concerned.add(policy.meta().name()));
        return concerned;
    }

    private List<ResourceId> gatewaysBehind(CachePolicy policy) {
        ResourceId target = CachePolicies.target(policy);
        Stream<Name> gateways = Stream.empty();
        if (target.type().equals(GroupKind.GATEWAY)) {
            gateways = find(target.name()).map(BoundGateway::name).stream();
        } else if (target.type().equals(GroupKind.HTTP_ROUTE)) {
            gateways = index.find(target.name()).stream()
                    .flatMap(TranslatedRoute::gateways)
                    .sorted();
        }
        return gateways.map(OutcomeBuilder::gateway).toList();
    }

    private Optional<BoundGateway> find(Name gateway) {
        return delta.now().gateways().find(gateway);
    }

    private Optional<DataPlane> report(Name gateway) {
        return delta.now().snapshot().dataPlane(gateway);
    }

    private static ResourceId gateway(Name name) {
        return new ResourceId(GroupKind.GATEWAY, name);
    }

    // What is said again in the same words stays the object that it was: others tell by it that nothing changed.
    private static <V> PersistentMap<Name, V> replaced(PersistentMap<Name, V> map, Name name, Optional<V> value) {
        if (value.isEmpty()) {
            return map.without(name);
        }
        return value.get().equals(map.get(name)) ? map : map.with(name, value.get());
    }
}
