package dev.shellac.model.status;

import java.util.List;

/** Status of a ListenerSet. */
public record ListenerSetStatus(ConditionSet conditions, List<ListenerStatus> listeners) {
    public static final ListenerSetStatus NONE = new ListenerSetStatus(ConditionSet.NONE, List.of());

    public ListenerSetStatus {
        listeners = List.copyOf(listeners);
    }
}
