package dev.shellac.decode.kind;

import dev.shellac.model.GroupKind;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All kinds that are read, and what is known of those that are not. */
public final class Kinds {
    public static final List<KindDecoder> ALL = List.of(
            GatewayKinds.GATEWAY_CLASS,
            GatewayKinds.GATEWAY,
            GatewayKinds.LISTENER_SET,
            RouteKinds.HTTP_ROUTE,
            PolicyKinds.REFERENCE_GRANT,
            PolicyKinds.BACKEND_TLS_POLICY,
            CoreKinds.SERVICE,
            CoreKinds.ENDPOINT_SLICE,
            CoreKinds.NAMESPACE,
            CoreKinds.SECRET,
            CoreKinds.CONFIG_MAP,
            ParametersKind.DECODER,
            VarnishKinds.CACHE_POLICY,
            VarnishKinds.CACHE_INVALIDATION);

    private static final Set<String> OUR_GROUPS = Set.of(Names.GATEWAY_API, VarnishKinds.GROUP);

    private Kinds() {}

    public static Optional<KindDecoder> find(GroupKind type) {
        return ALL.stream().filter(kind -> kind.type().equals(type)).findFirst();
    }

    /** Whether somebody who writes a kind of this group speaks to us, so that a kind we do not read is a loss. */
    public static boolean concernsUs(String group) {
        return OUR_GROUPS.contains(group);
    }

    /** A kind that differs in case or plural only. */
    public static Optional<String> nearest(GroupKind type) {
        return ALL.stream()
                .map(KindDecoder::type)
                .filter(known -> known.kind().equalsIgnoreCase(type.kind())
                        || (known.kind() + "s").equalsIgnoreCase(type.kind()))
                .map(GroupKind::kind)
                .findFirst();
    }
}
