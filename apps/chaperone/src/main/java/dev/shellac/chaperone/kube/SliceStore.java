package dev.shellac.chaperone.kube;

import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.PersistentMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The EndpointSlices that a pod has room for: those of Services that routes name, a share for each namespace; and some of the others, since a route may name
 * them next. Where all together are too many, the namespace that has most loses some. What was left out is known by its Service. For one thread at a time.
 */
final class SliceStore {
    // Each address may become a backend for each port that a route names.
    private static final int USUAL_PORTS = 4;
    private static final int BYTES_PER_ENDPOINT = 2048;

    /**
     * Counted in addresses of endpoints, several times those of a slice with many ports.
     *
     * @param all of Services that routes name
     * @param perNamespace of those
     * @param spare of other Services
     */
    record Bounds(int all, int perNamespace, int spare) {
        static Bounds ofHeap(long bytes) {
            int all = (int) Math.min(bytes / BYTES_PER_ENDPOINT, 1 << 20);
            return new Bounds(all, all / 2, all / 8);
        }

        // Not so near to the bound that the next list would be cut short again at once.
        boolean isRoomy(int ofNamespace, int ofAll) {
            return ofNamespace < perNamespace - perNamespace / 8 && ofAll < all - all / 8;
        }
    }

    private final Bounds bounds;
    private PersistentMap<Name, EndpointSlice> kept = PersistentMap.empty();
    private Set<Name> wanted = Set.of();
    private final Map<String, Integer> weights = new HashMap<>();
    private int all;
    private int spare;
    private final Map<String, Set<Name>> leftOut = new HashMap<>();
    private final Map<String, Set<Name>> leftOutOfList = new HashMap<>();
    private final Set<String> withoutSpares = new HashSet<>();

    SliceStore(Bounds bounds) {
        this.bounds = bounds;
    }

    PersistentMap<Name, EndpointSlice> kept() {
        return kept;
    }

    /** Services that routes name, and that have more endpoints than are kept. */
    Set<Name> leftOut() {
        var services = new HashSet<Name>();
        leftOut.values().forEach(services::addAll);
        return services;
    }

    /** Whether what was left out of a namespace may have room now. */
    boolean hasRoomForMore(String namespace) {
        return leftOut.containsKey(namespace) && bounds.isRoomy(weights.getOrDefault(namespace, 0), all);
    }

    /**
     * From now on routes name these.
     *
     * @return namespaces to be listed anew, because slices that were not kept are wanted
     */
    Set<String> want(Set<Name> services) {
        Set<String> changed = new HashSet<>();
        var incomplete = new HashSet<String>();
        for (Name service : services) {
            if (!wanted.contains(service)) {
                changed.add(service.namespace());
                if (withoutSpares.contains(service.namespace())) {
                    incomplete.add(service.namespace());
                }
            }
        }
        for (Name service : wanted) {
            if (!services.contains(service)) {
                changed.add(service.namespace());
                without(leftOut, service);
                without(leftOutOfList, service);
            }
        }
        List<EndpointSlice> moved =
                changed.stream().flatMap(namespace -> of(namespace).stream()).toList();
        moved.forEach(slice -> remove(slice.meta().name()));
        wanted = Set.copyOf(services);
        moved.forEach(slice -> put(slice.meta().name(), slice));
        return incomplete;
    }

    private static void without(Map<String, Set<Name>> services, Name service) {
        services.computeIfPresent(service.namespace(), (namespace, all) -> {
            all.remove(service);
            return all.isEmpty() ? null : all;
        });
    }

    /** Takes a slice in the place of the one of this name; false where there is no room for it. */
    boolean put(Name name, EndpointSlice slice) {
        remove(name);
        int weight = weight(slice);
        String namespace = name.namespace();
        if (!isWanted(name, slice)) {
            if (spare + weight > bounds.spare()) {
                withoutSpares.add(namespace);
                return false;
            }
            spare += weight;
        } else if (hasRoom(namespace, weight)) {
            weights.merge(namespace, weight, Integer::sum);
            all += weight;
        } else {
            leave(name, slice);
            return false;
        }
        kept = kept.with(name, slice);
        return true;
    }

    void remove(Name name) {
        EndpointSlice slice = kept.get(name);
        if (slice == null) {
            return;
        }
        int weight = weight(slice);
        if (isWanted(name, slice)) {
            weights.merge(name.namespace(), -weight, (one, other) -> one + other == 0 ? null : one + other);
            all -= weight;
        } else {
            spare -= weight;
        }
        kept = kept.without(name);
    }

    private boolean hasRoom(String namespace, int weight) {
        int own = weights.getOrDefault(namespace, 0) + weight;
        if (own > bounds.perNamespace()) {
            return false;
        }
        while (all + weight > bounds.all()) {
            Optional<String> largest = weights.entrySet().stream()
                    .filter(other -> other.getValue() > own)
                    .max(Comparator.comparingInt(Map.Entry::getValue))
                    .map(Map.Entry::getKey);
            if (largest.isEmpty()) {
                return false;
            }
            takeFrom(largest.get(), all + weight - bounds.all());
        }
        return true;
    }

    private void takeFrom(String namespace, int weight) {
        int taken = 0;
        for (EndpointSlice slice : of(namespace).reversed()) {
            if (taken < weight && isWanted(slice.meta().name(), slice)) {
                remove(slice.meta().name());
                leave(slice.meta().name(), slice);
                taken += weight(slice);
            }
        }
    }

    private void leave(Name name, EndpointSlice slice) {
        Name service = service(name, slice).orElseThrow();
        leftOut.computeIfAbsent(name.namespace(), key -> new HashSet<>()).add(service);
        Optional.ofNullable(leftOutOfList.get(name.namespace())).ifPresent(services -> services.add(service));
    }

    /** A namespace is listed: all of it comes once more. */
    void beginList(String namespace) {
        leftOutOfList.put(namespace, new HashSet<>());
        withoutSpares.remove(namespace);
    }

    /** All of a namespace has come; what was not among it is gone. */
    void endList(String namespace, Set<String> names) {
        of(namespace).stream()
                .map(slice -> slice.meta().name())
                .filter(name -> !names.contains(name.name()))
                .forEach(this::remove);
        Set<Name> now = Optional.ofNullable(leftOutOfList.remove(namespace)).orElse(Set.of());
        if (now.isEmpty()) {
            leftOut.remove(namespace);
        } else {
            leftOut.put(namespace, new HashSet<>(now));
        }
    }

    void forget(String namespace) {
        of(namespace).forEach(slice -> remove(slice.meta().name()));
        leftOut.remove(namespace);
        leftOutOfList.remove(namespace);
        withoutSpares.remove(namespace);
    }

    private List<EndpointSlice> of(String namespace) {
        var slices = new ArrayList<EndpointSlice>();
        kept.between(Name.firstOf(namespace), Name.firstAfter(namespace))
                .forEach(found -> slices.add(found.getValue()));
        return slices;
    }

    private boolean isWanted(Name name, EndpointSlice slice) {
        return service(name, slice).filter(wanted::contains).isPresent();
    }

    private static Optional<Name> service(Name name, EndpointSlice slice) {
        return slice.service().map(service -> new Name(name.namespace(), service));
    }

    private static int weight(EndpointSlice slice) {
        int addresses = slice.endpoints().stream()
                .mapToInt(one -> one.addresses().size())
                .sum();
        return Math.max(1, addresses) * Math.max(1, slice.ports().size() - USUAL_PORTS + 1);
    }
}
