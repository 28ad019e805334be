package dev.shellac.cli.folder;

import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the files of a folder hold together. A file that comes, changes or goes costs what it holds and held, not what all
 * hold: thousands of files are no reason for one to wait.
 *
 * <p>Of two objects of one name the one in the first file counts, in order of names; what a broken file held before gives way
 * to what a good one holds now.
 */
final class Contents {
    // To change a snapshot copies the map of one kind; beyond this many changes a new one is cheaper.
    private static final int FEW = 32;

    private final SortedMap<Path, FileReading> files = new TreeMap<>();
    private final Map<ResourceId, SortedMap<Path, Located>> written = new HashMap<>();
    private final Map<ResourceId, SortedMap<Path, Located>> kept = new HashMap<>();
    private final Map<ResourceId, Located> used = new HashMap<>();
    private final SortedMap<Path, List<Finding>> said = new TreeMap<>();
    private final Set<Path> broken = new HashSet<>();
    private final Set<ResourceId> severalTimes = new HashSet<>();
    private final Set<ResourceId> touched = new HashSet<>();
    private Snapshot snapshot = Snapshot.empty();

    @Nullable
    FileReading find(Path file) {
        return files.get(file);
    }

    /** Files at or below a path. */
    List<Path> below(Path path) {
        return files.containsKey(path)
                ? List.of(path)
                : files.keySet().stream().filter(file -> file.startsWith(path)).toList();
    }

    int size() {
        return files.size();
    }

    void put(Path file, FileReading reading) {
        FileReading before = files.put(file, reading);
        if (before != null
                && before.decoded().equals(reading.decoded())
                && before.kept().equals(reading.kept())) {
            return;
        }
        forget(file, before);
        remember(file, reading.decoded().objects(), written);
        remember(file, reading.kept(), kept);
        if (!reading.kept().isEmpty()) {
            broken.add(file);
        }
        if (!reading.decoded().findings().isEmpty()) {
            said.put(file, reading.decoded().findings());
        }
    }

    void remove(Path file) {
        forget(file, files.remove(file));
    }

    private void forget(Path file, @Nullable FileReading before) {
        said.remove(file);
        broken.remove(file);
        if (before != null) {
            forget(file, before.decoded().objects(), written);
            forget(file, before.kept(), kept);
        }
    }

    private void remember(Path file, List<Located> objects, Map<ResourceId, SortedMap<Path, Located>> into) {
        for (Located found : objects) {
            ResourceId id = found.resource().id();
            into.computeIfAbsent(id, none -> new TreeMap<>()).put(file, found);
            touched.add(id);
        }
    }

    private void forget(Path file, List<Located> objects, Map<ResourceId, SortedMap<Path, Located>> from) {
        for (Located found : objects) {
            ResourceId id = found.resource().id();
            from.computeIfPresent(id, (same, places) -> {
                places.remove(file);
                return places.isEmpty() ? null : places;
            });
            touched.add(id);
        }
    }

    /** What is said of all files, in order of file and line. */
    List<Finding> findings() {
        var findings = new ArrayList<Finding>();
        said.values().forEach(findings::addAll);
        for (ResourceId id : severalTimes) {
            Iterator<Located> places = placesOf(id).iterator();
            Located first = places.next();
            places.forEachRemaining(later -> findings.add(later.namesake(first)));
        }
        return findings;
    }

    private Collection<Located> placesOf(ResourceId id) {
        return written.getOrDefault(id, new TreeMap<>()).values();
    }

    /** The objects that are used as they last were, and why. To be asked after {@link #snapshot}. */
    Map<ResourceId, Finding> stale() {
        var stale = new HashMap<ResourceId, Finding>();
        for (Path file : broken) {
            FileReading reading = Optional.ofNullable(files.get(file)).orElseThrow();
            for (Located old : reading.kept()) {
                ResourceId id = old.resource().id();
                if (old.equals(used.get(id))) {
                    stale.put(id, reading.cause(id));
                }
            }
        }
        return stale;
    }

    Map<ResourceId, Located> objects() {
        return new HashMap<>(used);
    }

    /** The objects; the same snapshot as before if they are what they were. */
    Snapshot snapshot() {
        var changed = new ArrayList<Resource>();
        var gone = new ArrayList<Resource>();
        for (ResourceId id : touched) {
            Collection<Located> places = placesOf(id);
            if (places.size() > 1) {
                severalTimes.add(id);
            } else {
                severalTimes.remove(id);
            }
            settle(id, changed, gone);
        }
        touched.clear();
        snapshot = changed.size() + gone.size() > FEW
                ? Snapshot.of(used.values().stream().map(Located::resource).toList())
                : changed(changed, gone);
        return snapshot;
    }

    private void settle(ResourceId id, List<Resource> changed, List<Resource> gone) {
        Optional<Located> now = first(placesOf(id))
                .or(() -> first(kept.getOrDefault(id, new TreeMap<>()).values()));
        Located before = now.isPresent() ? used.put(id, now.get()) : used.remove(id);
        if (now.isPresent()
                && (before == null || !before.resource().equals(now.get().resource()))) {
            changed.add(now.get().resource());
        } else if (now.isEmpty() && before != null) {
            gone.add(before.resource());
        }
    }

    private static Optional<Located> first(Collection<Located> places) {
        return places.stream().findFirst();
    }

    private Snapshot changed(List<Resource> changed, List<Resource> gone) {
        Snapshot next = snapshot;
        for (Resource resource : gone) {
            next = next.without(resource.getClass(), resource.meta().name());
        }
        for (Resource resource : changed) {
            next = next.with(resource);
        }
        return next;
    }
}
