package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.varnishconfig.reading.HostRoutes;
import dev.shellac.varnishconfig.reading.ParsedRoute;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a pod serves of a host: the routes whose Services are known, and those that wait as they were before. */
final class PodHost implements TableHost {
    private static final Chunk BETWEEN = Chunk.of(",\n");
    private static final Chunk END = Chunk.of("\n]}");

    /**
     * A new version of an HTTPRoute that waits.
     *
     * @param since when it was seen; a later version that names no other Services does not wait longer
     * @param services those of what is new in it
     * @param waitsFor those whose endpoints are unknown
     */
    record Held(Instant since, Set<Name> services, Set<Name> waitsFor) {
        static Held of(Set<Name> services, Optional<Held> before, EndpointWait wait) {
            Set<Name> unknown = services.stream().filter(wait.known().negate()).collect(Collectors.toUnmodifiableSet());
            Optional<Held> same = before.filter(held -> held.services().containsAll(unknown));
            return new Held(
                    same.map(Held::since).orElse(wait.now()),
                    Stream.concat(services.stream(), same.stream().flatMap(held -> held.services().stream()))
                            .collect(Collectors.toUnmodifiableSet()),
                    unknown);
        }

        boolean isOver(EndpointWait wait) {
            return waitsFor.isEmpty() || !since.plus(wait.longest()).isAfter(wait.now());
        }
    }

    private final Hostname host;
    private final Chunk start;
    private final List<ServedRoute> routes;
    private final Map<String, Held> held;
    private final int length;

    private PodHost(Hostname host, List<ServedRoute> routes, Map<String, Held> held) {
        this.host = host;
        this.start = Chunk.of(JsonWriter.compact().text(host.value()) + ":{\"routes\":[\n");
        this.routes = List.copyOf(routes);
        this.held = Map.copyOf(held);
        this.length = start.length()
                + routes.stream()
                        .mapToInt(served -> served.text().json().length())
                        .sum()
                + BETWEEN.length() * Math.max(0, routes.size() - 1)
                + END.length();
    }

    static PodHost of(HostRoutes read, PodHost before, EndpointWait wait) {
        Map<ParsedRoute.Identity, ServedRoute> earlier = new HashMap<>();
        before.routes.forEach(served -> earlier.put(served.route().identity(), served));
        var routes = new ArrayList<ServedRoute>();
        var news = new HashMap<String, Set<Name>>();
        for (ParsedRoute route : read.routes()) {
            Optional<ServedRoute> same = Optional.ofNullable(earlier.get(route.identity()))
                    .filter(served -> served.route().json().equals(route.json()));
            routes.add(
                    same.map(served -> new ServedRoute(route, served.text())).orElseGet(() -> ServedRoute.of(route)));
            if (same.isEmpty()) {
                Set<Name> services = news.computeIfAbsent(route.name(), name -> new HashSet<>());
                route.services().forEach(services::add);
            }
        }
        Map<String, Held> held = held(news, before, wait);
        return new PodHost(
                read.host(), held.isEmpty() ? routes : Transition.between(before.routes, routes, held.keySet()), held);
    }

    private static Map<String, Held> held(Map<String, Set<Name>> news, PodHost before, EndpointWait wait) {
        var held = new HashMap<String, Held>();
        news.forEach((name, services) -> {
            Held next = Held.of(services, Optional.ofNullable(before.held.get(name)), wait);
            if (!next.isOver(wait)) {
                held.put(name, next);
            }
        });
        return held;
    }

    Hostname host() {
        return host;
    }

    boolean isEmpty() {
        return routes.isEmpty();
    }

    /** What waits, by the name of the HTTPRoute. */
    Map<String, Held> held() {
        return held;
    }

    Stream<Name> services() {
        return routes.stream().flatMap(served -> served.route().services());
    }

    Optional<ParsedRoute> route(int position) {
        return position >= 0 && position < routes.size()
                ? Optional.of(routes.get(position).route())
                : Optional.empty();
    }

    /** What changes between two versions of a host: the routes at both ends that are the same count for nothing. */
    static void change(PodHost before, PodHost after, TableHashEdit edit, BiConsumer<ParsedRoute, Integer> uses) {
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
        before.pairs(first, last, edit::noNeighbours);
        after.pairs(first, last, edit::neighbours);
        before.routes.subList(first, before.routes.size() - last).forEach(served -> uses.accept(served.route(), -1));
        after.routes.subList(first, after.routes.size() - last).forEach(served -> uses.accept(served.route(), 1));
    }

    @SuppressWarnings("ReferenceEquality") // a text that was kept is the same object; another may be compared in vain
    private static boolean same(PodHost one, int at, PodHost other, int otherAt) {
        ServedRoute served = one.routes.get(at);
        ServedRoute again = other.routes.get(otherAt);
        // A route names a pool; what the pool is made of can change without it.
        return served.text() == again.text()
                && served.route().backends().equals(again.route().backends());
    }

    static PodHost empty(Hostname host) {
        return new PodHost(host, List.of(), Map.of());
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
