package dev.shellac.model;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every object of one moment, and what the data planes reported. Immutable; a changed copy shares everything but the
 * map of the kind that changed.
 */
public final class Snapshot {
    private static final Snapshot EMPTY = new Snapshot(Map.of(), Collections.emptySortedMap());

    private final Map<Class<? extends Resource>, NavigableMap<Name, Resource>> objects;
    private final SortedMap<Name, DataPlane> dataPlanes;

    private Snapshot(
            Map<Class<? extends Resource>, NavigableMap<Name, Resource>> objects,
            SortedMap<Name, DataPlane> dataPlanes) {
        this.objects = objects;
        this.dataPlanes = dataPlanes;
    }

    public static Snapshot empty() {
        return EMPTY;
    }

    /** A later object of the same kind and name replaces an earlier one. */
    public static Snapshot of(Collection<? extends Resource> resources) {
        var objects = new HashMap<Class<? extends Resource>, NavigableMap<Name, Resource>>();
        for (Resource resource : resources) {
            objects.computeIfAbsent(resource.getClass(), kind -> new TreeMap<>())
                    .put(resource.meta().name(), resource);
        }
        return new Snapshot(objects, Collections.emptySortedMap());
    }

    public Snapshot with(Resource resource) {
        var changed = new TreeMap<>(of(resource.getClass()));
        changed.put(resource.meta().name(), resource);
        return replaced(resource.getClass(), changed);
    }

    public Snapshot without(Class<? extends Resource> kind, Name name) {
        var changed = new TreeMap<>(of(kind));
        changed.remove(name);
        return replaced(kind, changed);
    }

    /** What the data planes of the Gateways of these names last said. */
    public Snapshot reported(Map<Name, DataPlane> reports) {
        return new Snapshot(objects, Copies.of(reports));
    }

    /** All objects of a kind, in order of namespace and name. */
    public <T extends Resource> Collection<T> all(Class<T> kind) {
        @SuppressWarnings("unchecked") // the map of a class holds objects of that class alone
        Collection<T> values = (Collection<T>) of(kind).values();
        return Collections.unmodifiableCollection(values);
    }

    public <T extends Resource> Optional<T> find(Class<T> kind, Name name) {
        return Optional.ofNullable(of(kind).get(name)).map(kind::cast);
    }

    /** The report of a Gateway's data plane; none before it first spoke. */
    public Optional<DataPlane> dataPlane(Name gateway) {
        return Optional.ofNullable(dataPlanes.get(gateway));
    }

    /** Nothing but objects of this kind differs. Maps that both share are not looked into. */
    public boolean differsOnlyIn(Class<? extends Resource> kind, Snapshot other) {
        return dataPlanes.equals(other.dataPlanes)
                && objects.keySet().stream()
                        .allMatch(found -> found.equals(kind) || of(found).equals(other.of(found)))
                && other.objects.keySet().stream().allMatch(found -> found.equals(kind) || objects.containsKey(found));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Snapshot that && objects.equals(that.objects) && dataPlanes.equals(that.dataPlanes);
    }

    @Override
    public int hashCode() {
        return 31 * objects.hashCode() + dataPlanes.hashCode();
    }

    @Override
    public String toString() {
        return "Snapshot of "
                + objects.values().stream().mapToInt(NavigableMap::size).sum() + " objects";
    }

    private Snapshot replaced(Class<? extends Resource> kind, NavigableMap<Name, Resource> changed) {
        var copy = new HashMap<>(objects);
        if (changed.isEmpty()) {
            copy.remove(kind);
        } else {
            copy.put(kind, changed);
        }
        return new Snapshot(copy, dataPlanes);
    }

    private NavigableMap<Name, Resource> of(Class<? extends Resource> kind) {
        return objects.getOrDefault(kind, Collections.emptyNavigableMap());
    }
}
