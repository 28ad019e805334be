package dev.shellac.model.status;

import dev.shellac.model.GroupKind;
import java.util.List;

/** Status of one listener of a Gateway or ListenerSet. */
public record ListenerStatus(String name, int attachedRoutes, ConditionSet conditions, List<GroupKind> supportedKinds) {
    public ListenerStatus {
        supportedKinds = List.copyOf(supportedKinds);
    }
}
