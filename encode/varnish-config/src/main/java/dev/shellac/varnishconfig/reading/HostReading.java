package dev.shellac.varnishconfig.reading;

import dev.shellac.varnishconfig.reading.JsonSpans.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A host, read with what is known of its routes: entries that differ from earlier ones in their priority alone are not parsed.
 *
 * @param span what it was read from
 * @param routes what was read
 * @param byFirst each route by its first entry, for the next reading
 */
record HostReading(Span span, List<ParsedRoute> routes, Map<EntrySpan, Known> byFirst) {
    static final HostReading NOTHING = new HostReading(Span.EMPTY, List.of(), Map.of());

    /** A route and all of its entries. */
    record Known(ParsedRoute route, List<EntrySpan> entries) {}

    static HostReading of(Span host, HostReading before, Json.Parser parser) throws RoutingFormatException {
        Span list = JsonSpans.of(host, parser).get("routes");
        var entries = new ArrayList<EntrySpan>();
        if (list != null) {
            for (Span item : JsonSpans.items(list, parser)) {
                entries.add(EntrySpan.of(item));
            }
        }
        // Readers of the format go by priority, then by place.
        entries.sort((one, other) -> Integer.compare(other.priority(), one.priority()));
        var routes = new ArrayList<ParsedRoute>();
        var byFirst = new HashMap<EntrySpan, Known>();
        int at = 0;
        while (at < entries.size()) {
            // Entries of one route have one priority.
            int to = at + 1;
            while (to < entries.size()
                    && entries.get(to).priority() == entries.get(at).priority()) {
                to++;
            }
            List<EntrySpan> alike = List.copyOf(entries.subList(at, to));
            Known known = before.byFirst().get(alike.getFirst());
            if (known != null && known.entries().equals(alike)) {
                routes.add(known.route());
                byFirst.put(alike.getFirst(), new Known(known.route(), alike));
            } else {
                List<ParsedRoute> read = RouteReading.all(parsed(alike, parser));
                routes.addAll(read);
                if (read.size() == 1) {
                    byFirst.put(alike.getFirst(), new Known(read.getFirst(), alike));
                }
            }
            at = to;
        }
        return new HostReading(host, routes, byFirst);
    }

    private static List<Json.Members> parsed(List<EntrySpan> entries, Json.Parser parser)
            throws RoutingFormatException {
        var members = new ArrayList<Json.Members>();
        for (EntrySpan entry : entries) {
            if (!(entry.span().parse(parser) instanceof Json.Members found)) {
                throw new RoutingFormatException("routes: a list of objects expected");
            }
            members.add(found);
        }
        return members;
    }
}
