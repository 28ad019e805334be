package dev.shellac.model.status;

import java.util.List;

/** Status of a Gateway. */
public record GatewayStatus(
        List<Address> addresses, ConditionSet conditions, List<ListenerStatus> listeners, int attachedListenerSets) {
    public static final GatewayStatus NONE = new GatewayStatus(List.of(), ConditionSet.NONE, List.of(), 0);

    public GatewayStatus {
        addresses = List.copyOf(addresses);
        listeners = List.copyOf(listeners);
    }
}
