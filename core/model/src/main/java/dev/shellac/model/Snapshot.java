package dev.shellac.model;

import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every object of one moment, and what the data planes reported. Immutable; a changed copy shares everything but the way to
 * the object that changed, and so can tell what changed.
 */
public final class Snapshot {
    private static final Snapshot EMPTY = new Snapshot(Map.of(), PersistentMap.empty());

    private final Map<Class<? extends Resource>, PersistentMap<Name, Resource>> objects;
    private final PersistentMap<Name, DataPlane> dataPlanes;

    private Snapshot(
            Map<Class<? extends Resource>, PersistentMap<Name, Resource>> objects,
            PersistentMap<Name, DataPlane> dataPlanes) {
        this.objects = objects;
        this.dataPlanes = dataPlanes;
    }

    public static Snapshot empty() {
        return EMPTY;
    }

    /** A later object of the same kind and name replaces an earlier one. */
    public static Snapshot of(Collection<? extends Resource> resources) {
        var sorted = new HashMap<Class<? extends Resource>, Map<Name, Resource>>();
        for (Resource resource : resources) {
            sorted.computeIfAbsent(resource.getClass(), kind -> new TreeMap<>())
                    .put(resource.meta().name(), resource);
        }
        var objects = new HashMap<Class<? extends Resource>, PersistentMap<Name, Resource>>();
        sorted.forEach((kind, found) -> objects.put(kind, PersistentMap.of(found)));
        return new Snapshot(objects, PersistentMap.empty());
    }

    /** This snapshot itself where an equal object is there already. */
    public Snapshot with(Resource resource) {
        Name name = resource.meta().name();
        PersistentMap<Name, Resource> before = of(resource.getClass());
        return resource.equals(before.get(name)) ? this : replaced(resource.getClass(), before.with(name, resource));
    }

    public Snapshot without(Class<? extends Resource> kind, Name name) {
        PersistentMap<Name, Resource> before = of(kind);
        return before.containsKey(name) ? replaced(kind, before.without(name)) : this;
    }

    /** What the data planes of the Gateways of these names last said. */
    public Snapshot reported(Map<Name, DataPlane> reports) {
        return new Snapshot(objects, PersistentMap.of(reports));
    }

    /** All objects of a kind, in order of namespace and name. */
    public <T extends Resource> PersistentList<T> all(Class<T> kind) {
        return map(kind).values();
    }

    /** The objects of a kind in one namespace, in order of name. */
    public <T extends Resource> List<T> allIn(Class<T> kind, String namespace) {
        return map(kind).between(Name.firstOf(namespace), Name.firstAfter(namespace)).stream()
                .map(Map.Entry::getValue)
                .toList();
    }

    public <T extends Resource> Optional<T> find(Class<T> kind, Name name) {
        return Optional.ofNullable(of(kind).get(name)).map(kind::cast);
    }

    /** The report of a Gateway's data plane; none before it first spoke. */
    public Optional<DataPlane> dataPlane(Name gateway) {
        return Optional.ofNullable(dataPlanes.get(gateway));
    }

    /** The objects of a kind that came, went or changed since then. What both share is not looked into. */
    public <T extends Resource> List<Change<Name, T>> changesSince(Snapshot before, Class<T> kind) {
        return map(kind).changesSince(before.map(kind));
    }

    public List<Change<Name, DataPlane>> reportsSince(Snapshot before) {
        return dataPlanes.changesSince(before.dataPlanes);
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
                + objects.values().stream().mapToInt(PersistentMap::size).sum() + " objects";
    }

    private Snapshot replaced(Class<? extends Resource> kind, PersistentMap<Name, Resource> changed) {
        var copy = new HashMap<>(objects);
        if (changed.isEmpty()) {
            copy.remove(kind);
        } else {
            copy.put(kind, changed);
        }
        return new Snapshot(copy, dataPlanes);
    }

    @SuppressWarnings("unchecked") // the map of a class holds objects of that class alone
    private <T extends Resource> PersistentMap<Name, T> map(Class<T> kind) {
        return (PersistentMap<Name, T>) (PersistentMap<Name, ?>) of(kind);
    }

    private PersistentMap<Name, Resource> of(Class<? extends Resource> kind) {
        PersistentMap<Name, Resource> found = objects.get(kind);
        return found == null ? PersistentMap.empty() : found;
    }
}
