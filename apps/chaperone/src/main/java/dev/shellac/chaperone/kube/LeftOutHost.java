package dev.shellac.chaperone.kube;

import java.util.List;

/**
 * A host of routing.json that this pod has no memory for.
 *
 * @param routes its HTTPRoutes, by namespace/name
 */
public record LeftOutHost(String host, List<String> routes) {
    public LeftOutHost {
        routes = List.copyOf(routes);
    }
}
