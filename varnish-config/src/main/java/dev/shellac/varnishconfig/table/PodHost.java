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
import java.util.function.BiConsumer;
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

    /** What changes between two versions of a host: the routes at both ends that are the same count for nothing. */
    static void change(PodHost before, PodHost after, Members members, BiConsumer<ReadRoute, Integer> uses) {
        int least = Math.min(before.routes.size(), after.routes.size());
        int first = 0;
        while (first < least && same(before, first, after, first)) {
            first++;
        }
        int last = 0;
        while (last < least - first
                && same(before, before.routes.size() - 1 - last, after, after.routes.size() - 1 - last)) {
            last++;
        }
        before.pairs(first, last, members::noNeighbours);
        after.pairs(first, last, members::neighbours);
        before.routes.subList(first, before.routes.size() - last).forEach(served -> uses.accept(served.route(), -1));
        after.routes.subList(first, after.routes.size() - last).forEach(served -> uses.accept(served.route(), 1));
    }

    @SuppressWarnings("ReferenceEquality") // a text that was kept is the same object; another may be compared in vain
    private static boolean same(PodHost one, int at, PodHost other, int otherAt) {
        Served served = one.routes.get(at);
        Served again = other.routes.get(otherAt);
        // A route names a pool; what the pool is made of can change without it.
        return served.text() == again.text()
                && served.route().backends().equals(again.route().backends());
    }

    static PodHost empty(Hostname host) {
        return new PodHost(host, List.of(), Set.of());
    }

    // The first of those that stay at the end has another one before it.
    private void pairs(int first, int last, Neighbours neighbours) {
        int end = Math.min(routes.size(), routes.size() - last + 1);
        for (int i = first; i < end; i++) {
            neighbours.accept(host, before(i), routes.get(i).text());
        }
    }

    private interface Neighbours {
        void accept(Hostname host, Optional<RouteText> before, RouteText route);
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
