package dev.shellac.chaperone.live;

import dev.shellac.model.Name;
import dev.shellac.varnishconfig.reading.Routing;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Routes to Services that have more endpoints than a pod has room for: they are served with those that it has. */
final class CutServices {
    private static final int MOST_NAMED = 500;

    private record Cut(String route, Name service) {}

    private CutServices() {}

    /** One for each Service of a route. */
    static List<LiveState.Refusal> refusals(Routing routing, Set<Name> services) {
        if (services.isEmpty()) {
            return List.of();
        }
        var named = new LinkedHashSet<Cut>();
        var refusals = new ArrayList<LiveState.Refusal>();
        routing.hosts()
                .forEach((host, routes) -> routes.routes()
                        .forEach(route -> route.services()
                                .filter(services::contains)
                                .map(service -> new Cut(route.name(), service))
                                .filter(cut -> refusals.size() < MOST_NAMED && named.add(cut))
                                .forEach(cut -> refusals.add(refusal(cut)))));
        return refusals;
    }

    // It concerns all hosts of the route, and no rule is refused as a whole.
    private static LiveState.Refusal refusal(Cut cut) {
        return new LiveState.Refusal(
                "",
                cut.route(),
                Optional.empty(),
                Optional.empty(),
                "some endpoints of " + cut.service(),
                "partial",
                "a pod has no memory for all of them: raise the memory limit of the Gateway's pods, or use fewer endpoints");
    }
}
