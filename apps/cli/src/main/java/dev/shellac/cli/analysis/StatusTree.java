package dev.shellac.cli.analysis;

import dev.shellac.decode.status.StatusFields;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.translate.status.Statuses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Statuses as Gateway API writes them, an object each. */
public final class StatusTree {
    private static final String GATEWAY_API = "gateway.networking.k8s.io/v1";

    private final List<Map<String, Object>> objects = new ArrayList<>();

    private StatusTree() {}

    public static List<Map<String, Object>> of(Statuses statuses) {
        var tree = new StatusTree();
        tree.add(GATEWAY_API, GroupKind.GATEWAY_CLASS, statuses.gatewayClasses(), StatusFields::of);
        tree.add(GATEWAY_API, GroupKind.GATEWAY, statuses.gateways(), StatusFields::of);
        tree.add(GATEWAY_API, GroupKind.LISTENER_SET, statuses.listenerSets(), StatusFields::of);
        tree.add(GATEWAY_API, GroupKind.HTTP_ROUTE, statuses.httpRoutes(), StatusFields::of);
        tree.add(GATEWAY_API, GroupKind.BACKEND_TLS_POLICY, statuses.backendTlsPolicies(), StatusFields::of);
        tree.add(
                GroupKind.CACHE_POLICY.group() + "/v1alpha1",
                GroupKind.CACHE_POLICY,
                statuses.cachePolicies(),
                StatusFields::of);
        tree.add(
                GroupKind.CACHE_INVALIDATION.group() + "/v1alpha1",
                GroupKind.CACHE_INVALIDATION,
                statuses.cacheInvalidations(),
                StatusFields::of);
        return tree.objects;
    }

    private <T> void add(
            String version, GroupKind type, Map<Name, T> statuses, Function<T, Map<String, Object>> fields) {
        statuses.forEach((name, status) -> {
            var meta = new LinkedHashMap<String, Object>();
            if (!name.namespace().isEmpty()) {
                meta.put("namespace", name.namespace());
            }
            meta.put("name", name.name());
            var object = new LinkedHashMap<String, Object>();
            object.put("apiVersion", version);
            object.put("kind", type.kind());
            object.put("metadata", meta);
            object.put("status", fields.apply(status));
            objects.add(object);
        });
    }
}
