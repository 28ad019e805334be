package dev.shellac.model.status;

import dev.shellac.model.route.ParentRef;
import java.util.List;

/** Status of a policy: one entry for each object that it takes effect through, and controller. */
public record PolicyStatus(List<Ancestor> ancestors) {
    public static final PolicyStatus NONE = new PolicyStatus(List.of());

    /** What one controller says about one ancestor. */
    public record Ancestor(ParentRef ancestorRef, String controllerName, ConditionSet conditions) {}

    public PolicyStatus {
        ancestors = List.copyOf(ancestors);
    }
}
