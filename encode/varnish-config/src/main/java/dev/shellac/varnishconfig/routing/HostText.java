package dev.shellac.varnishconfig.routing;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.util.List;
import java.util.Optional;

/** A host with its entries. Readers of the format sort by priority, descending: it is the position, counted from the end. */
record HostText(Hostname host, Chunk start, PersistentMap<RoutePlan, List<EntryText>> routes) {
    private static final Chunk FIRST = Chunk.of("\n" + " ".repeat(8));
    private static final Chunk NEXT = Chunk.of(",\n" + " ".repeat(8));
    private static final Chunk END = Chunk.of("\n" + " ".repeat(6) + "]\n" + " ".repeat(4) + "}");

    static HostText empty(Hostname host) {
        String start = JsonWriter.compact().text(host.value()) + ": {\n" + " ".repeat(6) + "\"routes\": [";
        return new HostText(host, Chunk.of(start), PersistentMap.empty(Precedence.FIRST_TRIED_FIRST));
    }

    HostText changed(List<Change<Object, RoutePlan>> changes) {
        PersistentMap<RoutePlan, List<EntryText>> next = routes;
        for (Change<Object, RoutePlan> change : changes) {
            RoutePlan place = change.after().or(change::before).orElseThrow();
            Optional<List<EntryText>> after = change.after().map(route -> EntryText.of(host, route));
            next = after.isPresent() ? next.with(place, after.get()) : next.without(place);
        }
        return new HostText(host, start, next);
    }

    void copyTo(RoutingFile.Sink sink) {
        sink.put(start);
        var priority = new Priority(sink, routes.size());
        routes.forEach((route, entries) -> priority.write(entries));
        sink.put(END);
    }

    /** Counts down from route to route. */
    private static final class Priority {
        private final RoutingFile.Sink sink;
        private Chunk between = FIRST;
        private int left;

        Priority(RoutingFile.Sink sink, int routes) {
            this.sink = sink;
            this.left = routes;
        }

        void write(List<EntryText> entries) {
            for (EntryText entry : entries) {
                sink.put(between);
                sink.put(entry.beforePriority());
                sink.put(left);
                sink.put(entry.afterPriority());
                between = NEXT;
            }
            left--;
        }
    }
}
