package dev.shellac.kube.watch;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Resource;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.route.HttpRoute;
import java.util.Map;
import java.util.Set;

/** A kind of the API and the record that it becomes. Endpoints are not among them: the pods read those. */
public record ResourceKind(ServedKind served, Class<? extends Resource> record) {
    private static final Map<GroupKind, Class<? extends Resource>> RECORDS = Map.ofEntries(
            Map.entry(GroupKind.GATEWAY_CLASS, GatewayClass.class),
            Map.entry(GroupKind.GATEWAY, Gateway.class),
            Map.entry(GroupKind.LISTENER_SET, ListenerSet.class),
            Map.entry(GroupKind.HTTP_ROUTE, HttpRoute.class),
            Map.entry(GroupKind.REFERENCE_GRANT, ReferenceGrant.class),
            Map.entry(GroupKind.BACKEND_TLS_POLICY, BackendTlsPolicy.class),
            Map.entry(GroupKind.SERVICE, Service.class),
            Map.entry(GroupKind.NAMESPACE, Namespace.class),
            Map.entry(GroupKind.SECRET, SecretObject.class),
            Map.entry(GroupKind.CONFIG_MAP, ConfigMap.class),
            Map.entry(GroupKind.GATEWAY_CLASS_PARAMETERS, GatewayClassParameters.class),
            Map.entry(GroupKind.CACHE_POLICY, CachePolicy.class),
            Map.entry(GroupKind.CACHE_INVALIDATION, CacheInvalidation.class));
    private static final Set<String> DEFINITIONS = Set.of(
            "gatewayclasses.gateway.networking.k8s.io",
            "gateways.gateway.networking.k8s.io",
            "listenersets.gateway.networking.k8s.io",
            "httproutes.gateway.networking.k8s.io",
            "referencegrants.gateway.networking.k8s.io",
            "backendtlspolicies.gateway.networking.k8s.io",
            "gatewayclassparameters.gateway.varnish-software.com",
            "varnishcachepolicies.gateway.varnish-software.com",
            "varnishcacheinvalidations.gateway.varnish-software.com",
            "servicemonitors.monitoring.coreos.com");

    static ResourceKind of(ServedKind served) {
        Class<? extends Resource> record = RECORDS.get(served.type());
        if (record == null) {
            throw new IllegalArgumentException(served.type() + " is not read");
        }
        return new ResourceKind(served, record);
    }

    /** Whether all of the kind are read; ConfigMaps and Secrets are read by name. */
    static boolean isWatched(GroupKind type) {
        return RECORDS.containsKey(type) && !type.equals(GroupKind.CONFIG_MAP) && !type.equals(GroupKind.SECRET);
    }

    /** The names of the definitions that these kinds need. */
    static Set<String> definitions() {
        return DEFINITIONS;
    }
}
