package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.status.Statuses;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Map;

/** A cluster after its statuses were written: the objects come back with them. */
final class WrittenBack {
    private WrittenBack() {}

    static Snapshot to(Snapshot snapshot, Statuses statuses) {
        Snapshot next = snapshot;
        next = to(next, GatewayClass.class, statuses.gatewayClasses());
        next = to(next, Gateway.class, statuses.gateways());
        next = to(next, ListenerSet.class, statuses.listenerSets());
        next = to(next, HttpRoute.class, statuses.httpRoutes());
        next = to(next, BackendTlsPolicy.class, statuses.backendTlsPolicies());
        return to(next, CachePolicy.class, statuses.cachePolicies());
    }

    private static <T extends Resource> Snapshot to(Snapshot snapshot, Class<T> kind, Map<Name, ?> statuses) {
        Snapshot next = snapshot;
        for (Map.Entry<Name, ?> status : statuses.entrySet()) {
            T object = snapshot.find(kind, status.getKey()).orElseThrow();
            next = next.with(with(kind, object, status.getValue()));
        }
        return next;
    }

    // Every record has its status as the component of this name.
    private static <T> T with(Class<T> kind, T object, Object status) {
        try {
            RecordComponent[] components = kind.getRecordComponents();
            Object[] values = new Object[components.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = components[i].getName().equals("status")
                        ? status
                        : components[i].getAccessor().invoke(object);
            }
            Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            Constructor<T> constructor = kind.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("every status is a component", e);
        }
    }
}
