package dev.shellac.kube.watch;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import java.util.Set;

/**
 * The account that an object counts against. Gateways, ListenerSets and Services have one of their own: an operator that starts reads from a Gateway's Service
 * where its listeners come in, so routes must not crowd it out.
 */
record ShareAccount(String namespace, Use use) {
    private static final int PART_FOR_SERVING = 4;
    private static final Set<GroupKind> SERVING_KINDS =
            Set.of(GroupKind.GATEWAY, GroupKind.LISTENER_SET, GroupKind.SERVICE);

    enum Use {
        ROUTING,
        SERVING
    }

    static ShareAccount of(ResourceId id) {
        return new ShareAccount(id.namespace(), SERVING_KINDS.contains(id.type()) ? Use.SERVING : Use.ROUTING);
    }

    String kinds() {
        return switch (use) {
            case ROUTING -> "routes, policies, invalidations and grants";
            case SERVING -> "Gateways, ListenerSets and Services";
        };
    }

    /** Its part of the share of a namespace. */
    long limit(long namespaceShare) {
        return switch (use) {
            case ROUTING -> namespaceShare;
            case SERVING -> namespaceShare / PART_FOR_SERVING;
        };
    }
}
