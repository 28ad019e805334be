package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** A host with the JSON of its routes, one on a line. */
final class HostJson implements TableHost {
    private static final Chunk BETWEEN = Chunk.of(",\n");
    private static final Chunk END = Chunk.of("\n]}");

    /** What is done with two neighbours of a host; the first route has none before it. */
    private interface Neighbours {
        void accept(Hostname host, Optional<RouteText> before, RouteText route);
    }

    private final Hostname host;
    private final Chunk start;
    private final PersistentMap<RoutePlan, RouteText> routes;
    private final int routesLength;

    private HostJson(Hostname host, Chunk start, PersistentMap<RoutePlan, RouteText> routes, int routesLength) {
        this.host = host;
        this.start = start;
        this.routes = routes;
        this.routesLength = routesLength;
    }

    static HostJson empty(Hostname host) {
        Chunk start = Chunk.of(JsonWriter.compact().text(host.value()) + ":{\"routes\":[\n");
        return new HostJson(host, start, PersistentMap.empty(Precedence.FIRST_TRIED_FIRST), 0);
    }

    /** Encodes the routes that changed, and says what that does to the table. */
    HostJson changed(List<Change<Object, RoutePlan>> changes, TableHashEdit edit) {
        PersistentMap<RoutePlan, RouteText> next = routes;
        int nextLength = routesLength;
        for (Change<Object, RoutePlan> change : changes) {
            RoutePlan place = place(change);
            Optional<RouteText> before = Optional.ofNullable(next.get(place));
            Optional<RouteText> after = change.after().map(RouteText::new);
            next = after.isPresent() ? next.with(place, after.get()) : next.without(place);
            nextLength += length(after) - length(before);
        }
        var result = new HostJson(host, start, next, nextLength);
        for (Change<Object, RoutePlan> change : changes) {
            around(place(change), edit::noNeighbours);
            result.around(place(change), edit::neighbours);
        }
        return result;
    }

    boolean isEmpty() {
        return routes.isEmpty();
    }

    PersistentMap<RoutePlan, RouteText> routes() {
        return routes;
    }

    @Override
    public int length() {
        return start.length() + routesLength + BETWEEN.length() * Math.max(0, routes.size() - 1) + END.length();
    }

    @Override
    public void copyTo(ByteBuffer target) {
        start.copyTo(target);
        int first = target.position();
        routes.forEach((plan, text) -> {
            if (target.position() != first) {
                BETWEEN.copyTo(target);
            }
            text.json().copyTo(target);
        });
        END.copyTo(target);
    }

    // The pairs that a route is one of, or that stand where it is not.
    private void around(RoutePlan place, Neighbours neighbours) {
        Optional<RouteText> here = Optional.ofNullable(routes.get(place));
        Optional<RouteText> before = routes.lower(place);
        here.ifPresent(route -> neighbours.accept(host, before, route));
        routes.higher(place).ifPresent(route -> neighbours.accept(host, here.or(() -> before), route));
    }

    private static RoutePlan place(Change<Object, RoutePlan> change) {
        return change.after().or(change::before).orElseThrow();
    }

    private static int length(Optional<RouteText> route) {
        return route.map(text -> text.json().length()).orElse(0);
    }
}
