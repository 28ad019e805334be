package dev.shellac.model.status;

import dev.shellac.model.route.ParentRef;
import java.util.List;

/** Status of a route: one entry for each parent and controller. */
public record RouteStatus(List<Parent> parents) {
    public static final RouteStatus NONE = new RouteStatus(List.of());

    /** What one controller says about one parent reference. */
    public record Parent(ParentRef parentRef, String controllerName, ConditionSet conditions) {}

    public RouteStatus {
        parents = List.copyOf(parents);
    }
}
