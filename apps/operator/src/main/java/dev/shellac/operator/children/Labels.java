package dev.shellac.operator.children;

import java.util.Set;

/** The labels and annotations that say what is ours, and of which Gateway. */
public final class Labels {
    public static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    public static final String OPERATOR = "varnish-gateway-operator";
    public static final String GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
    public static final String GATEWAY_NAMESPACE = "gateway.networking.k8s.io/gateway-namespace";
    /** A selector of everything that we made. */
    public static final String OURS = MANAGED_BY + "=" + OPERATOR;
    /** An annotation: {@code namespace/name} of the Gateway, where a label may have had to be shortened. */
    public static final String GATEWAY = "varnish.io/gateway";

    /** An annotation of objects that can have no owner: the uid of their Gateway. */
    public static final String GATEWAY_UID = "varnish.io/gateway-uid";

    static final String INFRA_HASH = "varnish.io/infra-hash";
    static final String SOCKET_POOL = "varnish.io/socket-pool";
    static final String FREED_SOCKETS = "varnish.io/freed-sockets";
    /** The annotations of Services that are read. */
    public static final Set<String> OF_SERVICES = Set.of(SOCKET_POOL, FREED_SOCKETS);

    static final String COMPONENT = "app.kubernetes.io/component";

    private Labels() {}
}
