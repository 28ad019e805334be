package dev.shellac.varnishconfig.table;

import dev.shellac.varnishconfig.reading.ParsedRoute;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a route's JSON begins with.
 *
 * @param match up to the listeners
 * @param listeners as they are written between their quotation marks; nothing where the route is on all of them
 */
record RouteHead(String match, Optional<Set<String>> listeners) {
    // These bytes are a name: inside of a text a quotation mark has a backslash before it. So are those between two
    // listeners.
    private static final String LISTENERS = "\"listeners\":[";
    private static final String BETWEEN = "\",\"";

    static RouteHead of(ParsedRoute route) {
        String head = route.head();
        int at = head.lastIndexOf(LISTENERS);
        if (at < 0) {
            return new RouteHead(head, Optional.empty());
        }
        String list = head.substring(at + LISTENERS.length(), head.length() - 1);
        return new RouteHead(
                head.substring(0, at),
                Optional.of(
                        list.isEmpty()
                                ? Set.of()
                                : new LinkedHashSet<>(List.of(
                                        list.substring(1, list.length() - 1).split(BETWEEN, -1)))));
    }

    /** On those listeners that the route is still on; nothing where there is none. */
    Optional<RouteHead> on(Optional<Set<String>> others) {
        if (listeners.isEmpty() || others.isEmpty()) {
            return Optional.of(this);
        }
        var common = new LinkedHashSet<>(listeners.get());
        common.retainAll(others.get());
        return common.isEmpty() ? Optional.empty() : Optional.of(new RouteHead(match, Optional.of(common)));
    }

    String json() {
        return listeners
                .map(names -> match + LISTENERS + "\"" + String.join(BETWEEN, names) + "\"]")
                .orElse(match);
    }
}
