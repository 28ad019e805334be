package dev.shellac.translate;

import dev.shellac.model.DataPlane;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.attach.Gateways;
import dev.shellac.translate.resolve.BackendTls;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * From one world to the next, and whom it concerns. Endpoints concern nobody here, and invalidations only themselves. Everything else that changed is
 * followed to the routes that depend on it; a change that could be about any of them, such as a listener's, is about all.
 *
 * @param rebound Gateways were looked at again
 * @param retrusted BackendTLSPolicies were looked at again
 */
record SnapshotDelta(TranslationContext before, TranslationContext now, boolean rebound, boolean retrusted) {
    private static final List<Class<? extends Resource>> BINDING = List.of(
            GatewayClass.class,
            Gateway.class,
            ListenerSet.class,
            GatewayClassParameters.class,
            Namespace.class,
            ReferenceGrant.class,
            SecretObject.class,
            ConfigMap.class);
    private static final List<Class<? extends Resource>> TRUST =
            List.of(BackendTlsPolicy.class, ReferenceGrant.class, ConfigMap.class);

    static SnapshotDelta of(TranslationContext before, Snapshot next) {
        boolean rebound = BINDING.stream().anyMatch(kind -> isChanged(before, next, kind));
        boolean retrusted = TRUST.stream().anyMatch(kind -> isChanged(before, next, kind));
        var now = new TranslationContext(
                before.settings(),
                before.budgets(),
                next,
                rebound ? Gateways.bind(next, before.settings()) : before.gateways(),
                retrusted ? BackendTls.of(next, before.settings().upstream()) : before.backendTls(),
                before.caches().after(before.snapshot(), next));
        return new SnapshotDelta(before, now, rebound, retrusted);
    }

    /** Whether invalidations came, went or changed. */
    boolean isInvalidating() {
        return isChanged(before, now.snapshot(), CacheInvalidation.class);
    }

    private static boolean isChanged(TranslationContext before, Snapshot next, Class<? extends Resource> kind) {
        return !next.changesSince(before.snapshot(), kind).isEmpty();
    }

    /** The routes that must be judged again, also those that are no more. */
    Set<Name> routes(RouteIndex index) {
        var concerned = new TreeSet<Name>();
        Set<ResourceId> policed = now.caches().targetsUnlike(before.caches());
        changes(HttpRoute.class).map(Change::key).forEach(concerned::add);
        if (isAboutAll(policed)) {
            now.snapshot()
                    .all(HttpRoute.class)
                    .forEach(route -> concerned.add(route.meta().name()));
            return concerned;
        }
        policed.forEach(target -> concerned.add(target.name()));
        changes(Service.class)
                .flatMap(change -> index.usersOf(new ResourceId(GroupKind.SERVICE, change.key())))
                .forEach(concerned::add);
        changes(ReferenceGrant.class)
                .flatMap(change -> index.usersOf(GroupKind.SERVICE, change.key().namespace()))
                .forEach(concerned::add);
        if (retrusted) {
            now.backendTls().servicesUnlike(before.backendTls()).stream()
                    .flatMap(service -> index.usersOf(new ResourceId(GroupKind.SERVICE, service)))
                    .forEach(concerned::add);
        }
        changes(Namespace.class)
                .flatMap(change ->
                        now.snapshot().allIn(HttpRoute.class, change.key().name()).stream())
                .forEach(route -> concerned.add(route.meta().name()));
        reports()
                .flatMap(change -> Stream.concat(change.before().stream(), change.after().stream()))
                .map(DataPlane::refusals)
                .flatMap(List::stream)
                .forEach(refusal -> concerned.add(refusal.route()));
        return concerned;
    }

    /** The Gateways whose data planes said something new. */
    Stream<Change<Name, DataPlane>> reports() {
        return now.snapshot().reportsSince(before.snapshot()).stream();
    }

    private boolean isAboutAll(Set<ResourceId> policed) {
        return (rebound && !now.gateways().agreesForRoutes(before.gateways()))
                || Stream.concat(changes(Gateway.class), changes(ListenerSet.class))
                        .anyMatch(Change::isOfPresence)
                || policed.stream().anyMatch(target -> target.type().equals(GroupKind.GATEWAY));
    }

    private <T extends Resource> Stream<Change<Name, T>> changes(Class<T> kind) {
        return now.snapshot().changesSince(before.snapshot(), kind).stream();
    }
}
