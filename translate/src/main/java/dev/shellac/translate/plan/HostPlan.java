package dev.shellac.translate.plan;

import dev.shellac.model.Hostname;
import java.util.List;

/** All matches below the hostname that routes asked for, in the order in which they are tried. */
public record HostPlan(Hostname hostname, List<RoutePlan> routes) {
    public HostPlan {
        routes = List.copyOf(routes);
    }
}
