package dev.shellac.kube.watch;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import java.util.Set;

/**
 * What an object of a namespace counts against. What serves already depends on Gateways, on ListenerSets and on the Services of Gateways, which tell an operator
 * that starts where each listener comes in: they have an account of their own, so that no number of routes has them refused.
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
            case ROUTING -> "routes, policies and grants";
            case SERVING -> "Gateways, ListenerSets and Services";
        };
    }

    /** Its part of the share of a namespace. */
    long of(long share) {
        return switch (use) {
            case ROUTING -> share;
            case SERVING -> share / PART_FOR_SERVING;
        };
    }
}
