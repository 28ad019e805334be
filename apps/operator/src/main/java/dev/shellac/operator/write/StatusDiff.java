package dev.shellac.operator.write;

import dev.shellac.decode.status.StatusFields;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.translate.status.Statuses;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;

/** Which statuses are to be written: of what changed, that which does not say it yet. Costs what the changes cost. */
public final class StatusDiff {
    /** A moment: what there is, what we say of it, and how it is served. */
    public record StatusInputs(Snapshot snapshot, Statuses statuses, Definitions definitions) {
        public static final StatusInputs NONE = new StatusInputs(Snapshot.empty(), Statuses.EMPTY, Definitions.NONE);

        /** Without what is said of these Gateways and their ListenerSets, which is not to be said yet. */
        public StatusInputs without(Set<Name> gateways) {
            if (gateways.isEmpty()) {
                return this;
            }
            PersistentMap<Name, GatewayStatus> others = PersistentMap.of(statuses.gateways());
            for (Name gateway : gateways) {
                others = others.without(gateway);
            }
            PersistentMap<Name, ListenerSetStatus> sets = PersistentMap.of(statuses.listenerSets());
            for (ListenerSet set : snapshot.all(ListenerSet.class)) {
                Name name = set.meta().name();
                sets = gateways.contains(set.parent().resolve(name.namespace()).name()) ? sets.without(name) : sets;
            }
            return new StatusInputs(
                    snapshot,
                    new Statuses(
                            statuses.gatewayClasses(),
                            others,
                            sets,
                            statuses.httpRoutes(),
                            statuses.backendTlsPolicies(),
                            statuses.cachePolicies(),
                            statuses.cacheInvalidations()),
                    definitions);
        }
    }

    private static final Set<String> BAD_IF_TRUE =
            Set.of("PartiallyInvalid", "Conflicted", "OverlappingTLSConfig", "InsecureFrontendValidationMode");
    private static final Set<String> SILENT = Set.of("Pending", "AddressNotAssigned");
    /** Conditions of our entries in a route or policy: all of them. */
    private static final Set<String> OF_ENTRIES = Set.of("Accepted", "ResolvedRefs", "PartiallyInvalid");

    private static final Set<String> OF_INVALIDATIONS = Set.of("Accepted");

    private final StatusInputs before;
    private final StatusInputs now;
    private final String controller;
    private final List<StatusUpdate> updates = new ArrayList<>();

    private StatusDiff(StatusInputs before, StatusInputs now, String controller) {
        this.before = before;
        this.now = now;
        this.controller = controller;
    }

    public static List<StatusUpdate> between(StatusInputs before, StatusInputs now, String controller) {
        var diff = new StatusDiff(before, now, controller);
        diff.collect();
        return diff.updates;
    }

    private void collect() {
        var classes = new StatusEquality(controller, ClassStatuses.OWN_CONDITIONS);
        var shared = new StatusEquality(controller, Statuses.OWN_CONDITIONS);
        var entries = new StatusEquality(controller, OF_ENTRIES);
        add(new Kind<>(
                GroupKind.GATEWAY_CLASS,
                GatewayClass.class,
                StatusDiff::classes,
                GatewayClass::status,
                classes::same,
                StatusFields::of,
                status -> Stream.of(status.conditions()),
                ClassStatuses.OWN_CONDITIONS));
        add(new Kind<>(
                GroupKind.GATEWAY,
                Gateway.class,
                inputs -> inputs.statuses().gateways(),
                Gateway::status,
                shared::same,
                StatusFields::of,
                status -> conditions(status.conditions(), status.listeners()),
                Statuses.OWN_CONDITIONS));
        add(new Kind<>(
                GroupKind.LISTENER_SET,
                ListenerSet.class,
                inputs -> inputs.statuses().listenerSets(),
                ListenerSet::status,
                shared::same,
                StatusFields::of,
                status -> conditions(status.conditions(), status.listeners()),
                Statuses.OWN_CONDITIONS));
        add(new Kind<>(
                GroupKind.HTTP_ROUTE,
                HttpRoute.class,
                inputs -> inputs.statuses().httpRoutes(),
                HttpRoute::status,
                entries::same,
                StatusFields::of,
                status -> status.parents().stream()
                        .filter(parent -> parent.controllerName().equals(controller))
                        .map(parent -> parent.conditions()),
                OF_ENTRIES));
        add(policy(
                GroupKind.BACKEND_TLS_POLICY,
                BackendTlsPolicy.class,
                inputs -> inputs.statuses().backendTlsPolicies(),
                BackendTlsPolicy::status));
        add(policy(
                GroupKind.CACHE_POLICY,
                CachePolicy.class,
                inputs -> inputs.statuses().cachePolicies(),
                CachePolicy::status));
        add(new Kind<>(
                GroupKind.CACHE_INVALIDATION,
                CacheInvalidation.class,
                inputs -> inputs.statuses().cacheInvalidations(),
                CacheInvalidation::status,
                entries::same,
                StatusFields::of,
                status -> Stream.of(status.conditions()),
                OF_INVALIDATIONS));
    }

    private static Stream<ConditionSet> conditions(ConditionSet own, List<ListenerStatus> listeners) {
        return Stream.concat(Stream.of(own), listeners.stream().map(ListenerStatus::conditions));
    }

    private static Map<Name, GatewayClassStatus> classes(StatusInputs inputs) {
        return ClassStatuses.of(inputs.statuses().gatewayClasses(), inputs.snapshot(), inputs.definitions());
    }

    private <R extends Resource> Kind<R, PolicyStatus> policy(
            GroupKind type,
            Class<R> record,
            Function<StatusInputs, Map<Name, PolicyStatus>> wanted,
            Function<R, PolicyStatus> there) {
        return new Kind<>(
                type,
                record,
                wanted,
                there,
                new StatusEquality(controller, OF_ENTRIES)::same,
                StatusFields::of,
                status -> status.ancestors().stream()
                        .filter(ancestor -> ancestor.controllerName().equals(controller))
                        .map(ancestor -> ancestor.conditions()),
                OF_ENTRIES);
    }

    private record Kind<R extends Resource, S>(
            GroupKind type,
            Class<R> record,
            Function<StatusInputs, Map<Name, S>> wanted,
            Function<R, S> there,
            BiPredicate<S, S> same,
            Function<S, Map<String, Object>> fields,
            Function<S, Stream<ConditionSet>> conditions,
            Set<String> ours) {
        private Kind {
            ours = Set.copyOf(ours);
        }
    }

    private <R extends Resource, S> void add(Kind<R, S> kind) {
        PersistentMap<Name, S> wanted = PersistentMap.of(kind.wanted().apply(now));
        PersistentMap<Name, S> last = PersistentMap.of(kind.wanted().apply(before));
        var names = new TreeSet<Name>();
        wanted.changesSince(last).forEach(change -> names.add(change.key()));
        now.snapshot().changesSince(before.snapshot(), kind.record()).forEach(change -> names.add(change.key()));
        for (Name name : names) {
            S status = wanted.get(name);
            R object = now.snapshot().find(kind.record(), name).orElse(null);
            if (status != null
                    && object != null
                    && !kind.same().test(status, kind.there().apply(object))) {
                now.definitions()
                        .find(kind.type())
                        .map(served -> new StatusUpdate(
                                new ResourceId(kind.type(), name),
                                served.apiVersion(),
                                object.meta().uid(),
                                served.path(name),
                                kind.ours(),
                                () -> kind.fields().apply(status),
                                bad(kind.conditions().apply(status))))
                        .ifPresent(updates::add);
            }
        }
    }

    private static List<Condition> bad(Stream<ConditionSet> conditions) {
        var told = new HashSet<String>();
        return conditions
                .flatMap(set -> set.conditions().stream())
                .filter(condition -> condition.since().isEmpty())
                .filter(condition -> BAD_IF_TRUE.contains(condition.type())
                        ? condition.holds()
                        : condition.state() == Condition.State.FALSE)
                .filter(condition -> !SILENT.contains(condition.reason()) && told.add(condition.message()))
                .toList();
    }
}
