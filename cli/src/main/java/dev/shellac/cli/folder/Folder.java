package dev.shellac.cli.folder;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A folder that is read again and again. The first reading parses every file; each further one looks at all of them, which
 * takes a few microseconds a file, and parses those that look different. For one thread.
 */
public final class Folder {
    // To change a snapshot copies the map of one kind; beyond this many changes a new one is cheaper.
    private static final int FEW = 32;
    private static final Comparator<Finding> BY_PLACE = Comparator.<Finding, String>comparing(
                    finding -> finding.at().file())
            .thenComparingInt(finding -> finding.at().line());

    private final Path root;
    private final InstantSource clock;
    private SortedMap<Path, FileReading> files = new TreeMap<>();
    private Reading last = Reading.NONE;

    private Folder(Path root, InstantSource clock) {
        this.root = root;
        this.clock = clock;
    }

    /** The folder of this name; findings name its files below it just so. */
    public static Folder at(Path root, InstantSource clock) {
        return new Folder(root, clock);
    }

    public Path root() {
        return root;
    }

    /** What the folder holds now. If the folder itself is gone, what it held last. */
    public Reading read() {
        if (!Files.isDirectory(root)) {
            last = last.withOnly(finding(
                    Files.exists(root)
                            ? "is a file: name the folder that it is in"
                            : last.objects().isEmpty()
                                    ? "there is no such folder"
                                    : "the folder is gone; what it held last is still used: put it back"));
            return last;
        }
        try {
            last = read(Listing.of(root));
        } catch (IOException e) {
            last = last.withOnly(finding("cannot be read: " + Listing.words(e)));
        }
        return last;
    }

    private Reading read(Listing listing) {
        int parsed = 0;
        var next = new TreeMap<Path, FileReading>();
        for (Path lost : listing.unlisted()) {
            files.forEach((file, reading) -> {
                if (file.startsWith(lost)) {
                    next.put(file, reading);
                }
            });
        }
        for (Map.Entry<Path, BasicFileAttributes> found : listing.files().entrySet()) {
            FileReading before = files.get(found.getKey());
            if (before != null && before.stamp().stillDescribes(found.getValue())) {
                next.put(found.getKey(), before);
            } else {
                parsed++;
                Instant now = clock.instant();
                FileReading.of(found.getKey(), FileReading.Stamp.of(found.getValue(), now), before)
                        .ifPresent(reading -> next.put(found.getKey(), reading));
            }
        }
        files = next;
        return joined(listing, parsed);
    }

    private Reading joined(Listing listing, int parsed) {
        var findings = new ArrayList<>(listing.findings());
        if (files.isEmpty()) {
            findings.add(finding("holds no .yaml, .yml or .json file: write your objects into one"));
        }
        Decoded all =
                Decoded.join(files.values().stream().map(FileReading::decoded).toList());
        findings.addAll(all.findings());
        findings.sort(BY_PLACE);
        var objects = new LinkedHashMap<ResourceId, Located>();
        all.objects().forEach(found -> objects.put(found.resource().id(), found));
        // What a broken file held before gives way to what a good one holds now.
        files.values()
                .forEach(file -> file.kept()
                        .forEach(found -> objects.putIfAbsent(found.resource().id(), found)));
        return new Reading(snapshot(objects), objects, findings, files.size(), parsed);
    }

    private Snapshot snapshot(Map<ResourceId, Located> objects) {
        List<Resource> changed = objects.entrySet().stream()
                .filter(entry -> isNew(entry.getKey(), entry.getValue()))
                .map(entry -> entry.getValue().resource())
                .toList();
        List<Resource> gone = last.objects().entrySet().stream()
                .filter(entry -> !objects.containsKey(entry.getKey()))
                .map(entry -> entry.getValue().resource())
                .toList();
        if (changed.size() + gone.size() > FEW) {
            return Snapshot.of(objects.values().stream().map(Located::resource).toList());
        }
        Snapshot snapshot = last.snapshot();
        for (Resource resource : gone) {
            snapshot = snapshot.without(resource.getClass(), resource.meta().name());
        }
        for (Resource resource : changed) {
            snapshot = snapshot.with(resource);
        }
        return snapshot;
    }

    private boolean isNew(ResourceId id, Located found) {
        Located before = last.objects().get(id);
        return before == null || !before.resource().equals(found.resource());
    }

    private Finding finding(String message) {
        return new Finding(Severity.ERROR, Position.whole(root.toString()), "", "", message);
    }
}
