package dev.shellac.varnishconfig.table;

import dev.shellac.varnishconfig.reading.ParsedRoute;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A host while new versions of some HTTPRoutes wait for endpoints. Those HTTPRoutes stay as they were as a whole: with a part of a version
 * missing, its requests would go to a less specific rule. What the waiting version revokes is not served meanwhile: an entry that it does not have,
 * or whose backend it refuses or does not mirror to any more, answers 503. A listener that it left is left at once.
 */
final class Transition {
    /** An entry by what decides on its place in the order of a host. */
    private record Place(String route, String match) {}

    private final List<ServedRoute> after;
    private final Set<String> waiting;
    private final Map<Place, ParsedRoute> wanted = new HashMap<>();
    private final Map<String, Optional<Set<String>>> listeners = new HashMap<>();
    private final Map<Place, Deque<ServedRoute>> stays = new HashMap<>();
    private final Deque<ServedRoute> last = new ArrayDeque<>();

    private Transition(List<ServedRoute> after, Set<String> waiting) {
        this.after = after;
        this.waiting = waiting;
        for (ServedRoute served : after) {
            ParsedRoute route = served.route();
            RouteHead head = RouteHead.of(route);
            wanted.putIfAbsent(new Place(route.name(), head.match()), route);
            listeners.putIfAbsent(route.name(), head.listeners());
        }
    }

    /**
     * The entries to serve, in order.
     *
     * @param waiting the names of the HTTPRoutes that wait
     */
    static List<ServedRoute> between(List<ServedRoute> before, List<ServedRoute> after, Set<String> waiting) {
        var transition = new Transition(after, waiting);
        transition.place(before);
        return transition.routes();
    }

    // An entry of both versions has its place in the new order. One that is revoked comes as late as the old order
    // allows, to be in nobody's way.
    private void place(List<ServedRoute> before) {
        Deque<ServedRoute> next = last;
        for (ServedRoute served : before.reversed()) {
            RouteHead head = RouteHead.of(served.route());
            var place = new Place(served.route().name(), head.match());
            if (wanted.containsKey(place)) {
                next = stays.computeIfAbsent(place, found -> new ArrayDeque<>());
            }
            if (waiting.contains(place.route())) {
                meanwhile(served, head, Optional.ofNullable(wanted.get(place))).ifPresent(next::addFirst);
            }
        }
    }

    private List<ServedRoute> routes() {
        var routes = new ArrayList<ServedRoute>();
        for (ServedRoute served : after) {
            var place = new Place(
                    served.route().name(), RouteHead.of(served.route()).match());
            Optional.ofNullable(stays.remove(place)).ifPresent(routes::addAll);
            if (!waiting.contains(place.route())) {
                routes.add(served);
            }
        }
        routes.addAll(last);
        return routes;
    }

    private Optional<ServedRoute> meanwhile(ServedRoute served, RouteHead head, Optional<ParsedRoute> next) {
        Optional<Set<String>> now = listeners.getOrDefault(served.route().name(), Optional.empty());
        return head.on(now).map(left -> {
            ParsedRoute route = served.route();
            if (next.filter(found -> !isRevoked(route, found)).isEmpty()) {
                return with(served, left.json(), unavailable(route), ParsedRoute.Targets.NONE);
            }
            return left.equals(head)
                    ? served
                    : with(
                            served,
                            left.json(),
                            route.json().toString().substring(route.head().length()),
                            route.targets());
        });
    }

    // A refused reference does not say what it referred to, so whatever was there before counts.
    private static boolean isRevoked(ParsedRoute before, ParsedRoute after) {
        var named = new HashSet<>(after.backends());
        return !named.containsAll(before.targets().mirrors())
                || (after.targets().refused()
                        && !named.containsAll(before.targets().served()));
    }

    private static ServedRoute with(ServedRoute served, String head, String rest, ParsedRoute.Targets targets) {
        ParsedRoute route = served.route();
        Chunk json = Chunk.of(head + rest);
        return json.equals(route.json())
                ? served
                : ServedRoute.of(new ParsedRoute(head, json, targets, route.name(), route.rule(), route.match()));
    }

    private static String unavailable(ParsedRoute route) {
        return ",\"backend_groups\":[{\"weight\":1,\"backends\":[],\"on_empty\":503}],\"route_name\":"
                + JsonWriter.compact().text(route.name()) + ",\"origin\":{\"rule\":" + route.rule() + ",\"match\":"
                + route.match() + "}}";
    }
}
