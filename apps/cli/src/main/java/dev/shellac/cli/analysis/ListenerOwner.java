package dev.shellac.cli.analysis;

import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.translate.status.Statuses;
import java.util.List;
import java.util.Optional;

/**
 * A Gateway or a ListenerSet, and its status.
 *
 * @param conditions of the whole; nothing where it is not ours to judge
 */
record ListenerOwner(
        ResourceId id, List<Listener> listeners, Optional<ConditionSet> conditions, List<ListenerStatus> statuses) {
    static ListenerOwner of(Gateway gateway, Statuses all) {
        Optional<GatewayStatus> status =
                Optional.ofNullable(all.gateways().get(gateway.meta().name()));
        return new ListenerOwner(
                gateway.id(),
                gateway.listeners(),
                status.map(GatewayStatus::conditions),
                status.map(GatewayStatus::listeners).orElse(List.of()));
    }

    static ListenerOwner of(ListenerSet set, Statuses all) {
        Optional<ListenerSetStatus> status =
                Optional.ofNullable(all.listenerSets().get(set.meta().name()));
        return new ListenerOwner(
                set.id(),
                set.listeners(),
                status.map(ListenerSetStatus::conditions),
                status.map(ListenerSetStatus::listeners).orElse(List.of()));
    }

    Optional<ListenerStatus> status(Listener listener) {
        return statuses.stream()
                .filter(status -> status.name().equals(listener.name()))
                .findFirst();
    }

    /** The listeners that a parentRef leaves. */
    List<Listener> named(ParentRef ref) {
        return listeners.stream()
                .filter(listener -> ref.sectionName()
                        .filter(name -> !name.equals(listener.name()))
                        .isEmpty())
                .filter(listener ->
                        ref.port().filter(port -> !port.equals(listener.port())).isEmpty())
                .toList();
    }
}
