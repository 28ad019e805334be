package dev.shellac.chaperone.controller;

import dev.shellac.model.EvenShare;
import dev.shellac.model.Name;
import dev.shellac.varnishconfig.reading.Routing;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Routes to Services that have more endpoints than a pod has room for: they are served with those that it has. */
final class CutServices {
    private static final int MOST_NAMED = 500;

    private record Cut(String route, Name service) {
        private String namespace() {
            return route.split("/", 2)[0];
        }
    }

    private CutServices() {}

    /** One for each Service of a route, as many of one namespace as of another. */
    static List<LiveState.Refusal> refusals(Routing routing, Set<Name> services) {
        if (services.isEmpty()) {
            return List.of();
        }
        var named = new HashMap<String, Set<Cut>>();
        var refusals = new EvenShare<LiveState.Refusal>(MOST_NAMED);
        routing.hosts()
                .values()
                .forEach(routes -> routes.routes()
                        .forEach(route -> route.services()
                                .filter(services::contains)
                                .map(service -> new Cut(route.name(), service))
                                .filter(cut -> isNew(cut, named))
                                .forEach(cut -> refusals.add(cut.namespace(), refusal(cut)))));
        return refusals.elements();
    }

    private static boolean isNew(Cut cut, Map<String, Set<Cut>> named) {
        Set<Cut> ofNamespace = named.computeIfAbsent(cut.namespace(), name -> new HashSet<>());
        return ofNamespace.size() < MOST_NAMED && ofNamespace.add(cut);
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
