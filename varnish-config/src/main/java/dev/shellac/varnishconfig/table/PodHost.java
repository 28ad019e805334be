package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.varnishconfig.reading.HostRoutes;
import dev.shellac.varnishconfig.reading.ReadRoute;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What a pod serves of a host: the routes whose Services are known, and earlier versions of those that wait. */
final class PodHost implements TableHost {
    private static final Chunk BETWEEN = Chunk.of(",\n");
    private static final Chunk END = Chunk.of("\n]}");

    private record Served(ReadRoute route, RouteText text) {}

    private final Hostname host;
    private final Chunk start;
    private final List<Served> routes;
    private final Set<Name> waitsFor;
    private final int length;

    private PodHost(Hostname host, List<Served> routes, Set<Name> waitsFor) {
        this.host = host;
        this.start = Chunk.of(JsonWriter.compact().text(host.value()) + ":{\"routes\":[\n");
        this.routes = List.copyOf(routes);
        this.waitsFor = Set.copyOf(waitsFor);
        this.length = start.length()
                + routes.stream()
                        .mapToInt(served -> served.text().json().length())
                        .sum()
                + BETWEEN.length() * Math.max(0, routes.size() - 1)
                + END.length();
    }

    static PodHost of(HostRoutes read, Optional<PodHost> before, Predicate<Name> known) {
        Map<String, Served> earlier = new HashMap<>();
        before.ifPresent(
                host -> host.routes.forEach(served -> earlier.put(served.route().identity(), served)));
        var routes = new ArrayList<Served>();
        var waitsFor = new TreeSet<Name>();
        for (ReadRoute route : read.routes()) {
            Optional<Served> version = Optional.ofNullable(earlier.get(route.identity()));
            if (version.filter(served -> served.route().json().equals(route.json()))
                    .isPresent()) {
                routes.add(new Served(route, version.orElseThrow().text()));
                continue;
            }
            List<Name> unknown = route.backends().stream()
                    .map(backend -> backend.service())
                    .filter(known.negate())
                    .toList();
            waitsFor.addAll(unknown);
            if (unknown.isEmpty()) {
                routes.add(new Served(route, new RouteText(route.json())));
            } else {
                version.ifPresent(routes::add);
            }
        }
        return new PodHost(read.host(), routes, waitsFor);
    }

    Hostname host() {
        return host;
    }

    boolean isEmpty() {
        return routes.isEmpty();
    }

    Set<Name> waitsFor() {
        return waitsFor;
    }

    Optional<ReadRoute> route(int position) {
        return position >= 0 && position < routes.size()
                ? Optional.of(routes.get(position).route())
                : Optional.empty();
    }

    List<ReadRoute> served() {
        return routes.stream().map(Served::route).toList();
    }

    void enter(Members members) {
        for (int i = 0; i < routes.size(); i++) {
            members.neighbours(host, before(i), routes.get(i).text());
        }
    }

    void leave(Members members) {
        for (int i = 0; i < routes.size(); i++) {
            members.noNeighbours(host, before(i), routes.get(i).text());
        }
    }

    private Optional<RouteText> before(int position) {
        return position == 0
                ? Optional.empty()
                : Optional.of(routes.get(position - 1).text());
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public void copyTo(ByteBuffer target) {
        start.copyTo(target);
        for (int i = 0; i < routes.size(); i++) {
            if (i > 0) {
                BETWEEN.copyTo(target);
            }
            routes.get(i).text().json().copyTo(target);
        }
        END.copyTo(target);
    }
}
