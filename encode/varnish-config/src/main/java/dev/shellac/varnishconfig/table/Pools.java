package dev.shellac.varnishconfig.table;

import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import dev.shellac.varnishconfig.wire.PoolName;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The pools of a table: those that some route names, with the endpoints of their Services.
 *
 * @param given all slices, also those that nobody asks for
 * @param byService the same
 * @param uses by the name of a pool, how many routes name each backend; in the plan of one snapshot that is one backend
 * @param json by the name of the pool, and with it
 * @param length of all of them, without what is between them
 */
record Pools(
        PersistentList<EndpointSlice> given,
        PersistentMap<Name, PersistentMap<Name, EndpointSlice>> byService,
        PersistentMap<String, Map<Backend.Serving, Integer>> uses,
        PersistentMap<String, Chunk> json,
        int length) {
    static final Pools EMPTY = new Pools(
            PersistentMap.<Name, EndpointSlice>empty().values(),
            PersistentMap.empty(),
            PersistentMap.empty(),
            PersistentMap.empty(),
            0);

    /**
     * Encodes the pools that changed, and says what that does to the table.
     *
     * @param moreUses by backend, how many routes more name it, or less
     */
    Pools changed(Map<Backend.Serving, Integer> moreUses, PersistentList<EndpointSlice> slices, TableHashEdit edit) {
        var names = new TreeSet<String>();
        PersistentMap<String, Map<Backend.Serving, Integer>> nextUses = uses;
        for (Map.Entry<Backend.Serving, Integer> more : moreUses.entrySet()) {
            if (more.getValue() != 0) {
                String name = PoolName.of(more.getKey());
                names.add(name);
                nextUses = counted(nextUses, name, more);
            }
        }
        PersistentMap<Name, PersistentMap<Name, EndpointSlice>> nextSlices = byService;
        for (Change<Object, EndpointSlice> change : slices.changesSince(given)) {
            nextSlices = sorted(nextSlices, change);
            for (Name service : services(change)) {
                // The names of a Service's pools: a semicolon comes right behind a colon.
                nextUses.between(service + ":", service + ";").forEach(found -> names.add(found.getKey()));
            }
        }
        return new Pools(slices, nextSlices, nextUses, json, length).encoded(names, edit);
    }

    /** The names of those without an endpoint. */
    List<String> empty() {
        return json.entrySet().stream()
                .filter(pool -> Optional.ofNullable(uses.get(pool.getKey())).stream()
                        .anyMatch(
                                backends -> pool.getValue().equals(encoded(pool.getKey(), first(backends), List.of()))))
                .map(Map.Entry::getKey)
                .toList();
    }

    private Pools encoded(Iterable<String> names, TableHashEdit edit) {
        PersistentMap<String, Chunk> next = json;
        int nextLength = length;
        for (String name : names) {
            Optional<Chunk> before = Optional.ofNullable(next.get(name));
            Optional<Chunk> after = Optional.ofNullable(uses.get(name)).map(found -> encode(name, found));
            if (before.equals(after)) {
                continue;
            }
            edit.pool(before, after);
            next = after.isPresent() ? next.with(name, after.get()) : next.without(name);
            nextLength += after.map(Chunk::length).orElse(0)
                    - before.map(Chunk::length).orElse(0);
        }
        return new Pools(given, byService, uses, next, nextLength);
    }

    private Chunk encode(String name, Map<Backend.Serving, Integer> backends) {
        Backend.Serving backend = first(backends);
        PersistentMap<Name, EndpointSlice> slices = byService.get(backend.service());
        return encoded(name, backend, slices == null ? List.of() : slices.values());
    }

    private static Backend.Serving first(Map<Backend.Serving, Integer> backends) {
        return backends.keySet().stream()
                .min(Comparator.comparing(Backend.Serving::toString))
                .orElseThrow();
    }

    private static Chunk encoded(String name, Backend.Serving backend, List<EndpointSlice> slices) {
        return Chunk.of(JsonWriter.compact().text(name) + ":" + new Pool(backend, slices).json());
    }

    private static PersistentMap<String, Map<Backend.Serving, Integer>> counted(
            PersistentMap<String, Map<Backend.Serving, Integer>> uses,
            String name,
            Map.Entry<Backend.Serving, Integer> more) {
        var counts = new HashMap<>(uses.getOrDefault(name, Map.of()));
        if (counts.merge(more.getKey(), more.getValue(), Integer::sum) == 0) {
            counts.remove(more.getKey());
        }
        return counts.isEmpty() ? uses.without(name) : uses.with(name, counts);
    }

    private static PersistentMap<Name, PersistentMap<Name, EndpointSlice>> sorted(
            PersistentMap<Name, PersistentMap<Name, EndpointSlice>> byService, Change<Object, EndpointSlice> change) {
        PersistentMap<Name, PersistentMap<Name, EndpointSlice>> next = byService;
        Optional<Name> left = change.before().flatMap(Pools::service);
        if (left.isPresent()) {
            Name gone = change.before().orElseThrow().meta().name();
            PersistentMap<Name, EndpointSlice> rest =
                    ofService(next, left.get()).without(gone);
            next = rest.isEmpty() ? next.without(left.get()) : next.with(left.get(), rest);
        }
        Optional<Name> joined = change.after().flatMap(Pools::service);
        if (joined.isPresent()) {
            EndpointSlice come = change.after().orElseThrow();
            next = next.with(
                    joined.get(), ofService(next, joined.get()).with(come.meta().name(), come));
        }
        return next;
    }

    private static PersistentMap<Name, EndpointSlice> ofService(
            PersistentMap<Name, PersistentMap<Name, EndpointSlice>> byService, Name service) {
        return Optional.ofNullable(byService.get(service)).orElseGet(PersistentMap::empty);
    }

    private static List<Name> services(Change<Object, EndpointSlice> change) {
        return Stream.concat(change.before().stream(), change.after().stream())
                .flatMap(slice -> service(slice).stream())
                .toList();
    }

    private static Optional<Name> service(EndpointSlice slice) {
        return slice.service().map(name -> new Name(slice.meta().name().namespace(), name));
    }
}
