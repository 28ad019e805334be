package dev.shellac.operator.controller;

import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.operator.write.EventRecorder;
import java.util.Optional;

/** What stands in for an object that was edited to something that we cannot read: nothing that served before stops serving for that. */
public final class LastValid {
    private LastValid() {}

    /** Where the last valid form of a route is found that is not in the snapshot, as after a start. */
    @FunctionalInterface
    public interface Store {
        Optional<HttpRoute> find(Name name, String uid);
    }

    static Resource of(Resource arrived, Snapshot before, Store store) {
        if (arrived.meta().decodeError().isEmpty()) {
            return arrived;
        }
        return switch (arrived) {
            case HttpRoute route ->
                same(route, before)
                        .or(() -> store.find(route.meta().name(), route.meta().uid()))
                        .map(route::lastValid)
                        .orElse(route);
            case Gateway gateway ->
                same(gateway, before).map(gateway::lastValid).orElse(gateway);
            default -> arrived;
        };
    }

    /**
     * The form before one of which not even the outline can be read; none where it is not known, or what it allowed may have been revoked: a grant, labels of
     * a namespace, authorities.
     */
    static Optional<Resource> of(ClusterWatch.Unreadable form, Optional<? extends Resource> before) {
        return before.filter(last -> last.meta().uid().equals(form.uid())).flatMap(last -> switch (last) {
            case ReferenceGrant _, Namespace _, ConfigMap _, SecretObject _ -> Optional.empty();
            case BackendTlsPolicy policy -> Optional.of(policy.withDecodeError(form.why()));
            case HttpRoute route -> Optional.of(route.withDecodeError(form.why()));
            case Gateway gateway -> Optional.of(gateway.withDecodeError(form.why()));
            default -> Optional.of(last);
        });
    }

    /** What its author is told. */
    static EventRecorder.Entry event(ClusterWatch.Unreadable form) {
        return new EventRecorder.Entry(
                form.id(),
                form.apiVersion(),
                form.uid(),
                "Warning",
                "UnsupportedValue",
                "this form is not taken: " + form.why());
    }

    // Another object of the same name served something else.
    @SuppressWarnings("unchecked") // the class of an object is its own
    private static <T extends Resource> Optional<T> same(T arrived, Snapshot before) {
        return before.find((Class<T>) arrived.getClass(), arrived.meta().name())
                .filter(last -> last.meta().uid().equals(arrived.meta().uid()));
    }
}
