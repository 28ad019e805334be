package dev.shellac.model;

import java.util.Comparator;

/** The type of an object without its version: the core group is the empty string. */
public record GroupKind(String group, String kind) implements Comparable<GroupKind> {
    private static final String GATEWAY_API = "gateway.networking.k8s.io";
    private static final String OURS = "gateway.varnish-software.com";
    private static final Comparator<GroupKind> ORDER =
            Comparator.comparing(GroupKind::group).thenComparing(GroupKind::kind);

    public static final GroupKind GATEWAY_CLASS = new GroupKind(GATEWAY_API, "GatewayClass");
    public static final GroupKind GATEWAY = new GroupKind(GATEWAY_API, "Gateway");
    public static final GroupKind LISTENER_SET = new GroupKind(GATEWAY_API, "ListenerSet");
    public static final GroupKind HTTP_ROUTE = new GroupKind(GATEWAY_API, "HTTPRoute");
    public static final GroupKind REFERENCE_GRANT = new GroupKind(GATEWAY_API, "ReferenceGrant");
    public static final GroupKind BACKEND_TLS_POLICY = new GroupKind(GATEWAY_API, "BackendTLSPolicy");
    public static final GroupKind SERVICE = new GroupKind("", "Service");
    public static final GroupKind ENDPOINT_SLICE = new GroupKind("discovery.k8s.io", "EndpointSlice");
    public static final GroupKind NAMESPACE = new GroupKind("", "Namespace");
    public static final GroupKind SECRET = new GroupKind("", "Secret");
    public static final GroupKind CONFIG_MAP = new GroupKind("", "ConfigMap");
    public static final GroupKind GATEWAY_CLASS_PARAMETERS = new GroupKind(OURS, "GatewayClassParameters");
    public static final GroupKind CACHE_POLICY = new GroupKind(OURS, "VarnishCachePolicy");
    public static final GroupKind SERVICE_MONITOR = new GroupKind("monitoring.coreos.com", "ServiceMonitor");
    public static final GroupKind CACHE_INVALIDATION = new GroupKind(OURS, "VarnishCacheInvalidation");

    @Override
    public int compareTo(GroupKind other) {
        return ORDER.compare(this, other);
    }

    /** {@code Kind.group}, or {@code Kind} alone in the core group. */
    @Override
    public String toString() {
        return group.isEmpty() ? kind : kind + "." + group;
    }
}
