package dev.shellac.cli.folder;

import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A folder that is read again and again. The first reading parses every file; each further one looks at all of them, or at
 * those that its caller names, and parses those that look different. For one thread.
 */
public final class Folder {
    private static final Comparator<Finding> BY_PLACE = Comparator.<Finding, String>comparing(
                    finding -> finding.at().file())
            .thenComparingInt(finding -> finding.at().line());

    private final Path root;
    private final InstantSource clock;
    private final Contents contents = new Contents();
    private final Map<Path, Finding> unlisted = new LinkedHashMap<>();
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

    /** Whether a file of this name is read. */
    public static boolean mayHoldObjects(Path file) {
        return Listing.isWanted(file);
    }

    /**
     * Begins with copies of its files from an earlier time: what a file held then is what it falls back to if it is broken at the first
     * reading, and all of them if the folder is not there.
     */
    public Reading remembered(Path copies) {
        try {
            for (Path copy : Listing.of(copies, copies).files().keySet()) {
                Path file = root.resolve(copies.relativize(copy));
                FileReading.remembered(file, copy).ifPresent(reading -> contents.put(file, reading));
            }
        } catch (IOException e) {
            // Nothing was kept.
        }
        last = new Reading(
                contents.snapshot(), contents.objects(), Map.of(), List.of(), new Reading.Counts(contents.size(), 0));
        return last;
    }

    /** What the folder holds now. If the folder itself is gone, what it held last. */
    public Reading read() {
        return read(List.of(root));
    }

    /**
     * What the folder holds now, if nothing but these files and folders below it changed since the last reading. Costs what
     * they hold; a name that is not below the folder as {@link #at} was given it is none of its.
     */
    public Reading read(Collection<Path> changed) {
        return read(changed, missing -> true);
    }

    /**
     * The same.
     *
     * @param isGone whether a file that is missing counts as gone; until then it holds what it held
     */
    public Reading read(Collection<Path> changed, Predicate<Path> isGone) {
        if (!Files.isDirectory(root)) {
            last = last.withOnly(finding(
                    Files.exists(root)
                            ? "is a file: name the folder that it is in"
                            : last.objects().isEmpty()
                                    ? "there is no such folder"
                                    : "the folder is gone; what it held last is still used: put it back"));
            return last;
        }
        int parsed = 0;
        for (Path path : changed) {
            if (path.startsWith(root)) {
                parsed += look(path, isGone);
            }
        }
        var findings = new ArrayList<>(unlisted.values());
        if (contents.size() == 0) {
            findings.add(finding("holds no .yaml, .yml or .json file: write your objects into one"));
        }
        var snapshot = contents.snapshot();
        findings.addAll(contents.findings());
        findings.sort(BY_PLACE);
        last = new Reading(
                snapshot, contents.objects(), contents.stale(), findings, new Reading.Counts(contents.size(), parsed));
        return last;
    }

    private int look(Path path, Predicate<Path> isGone) {
        unlisted.keySet().removeIf(lost -> lost.startsWith(path));
        Listing listing;
        try {
            listing = Listing.of(root, path);
        } catch (IOException e) {
            listing = Listing.unreadable(path, e);
        }
        unlisted.putAll(listing.unlisted());
        int parsed = 0;
        for (Map.Entry<Path, BasicFileAttributes> found : listing.files().entrySet()) {
            parsed += look(found.getKey(), found.getValue());
        }
        for (Path file : contents.below(path)) {
            // What cannot be looked at is not gone.
            if (!listing.files().containsKey(file)
                    && listing.unlisted().keySet().stream().noneMatch(file::startsWith)
                    && isGone.test(file)) {
                contents.remove(file);
            }
        }
        return parsed;
    }

    private int look(Path file, BasicFileAttributes attributes) {
        @Nullable FileReading before = contents.find(file);
        if (before != null && before.stamp().stillDescribes(attributes)) {
            return 0;
        }
        FileReading.of(file, FileReading.Stamp.of(attributes, clock.instant()), before)
                .ifPresentOrElse(reading -> contents.put(file, reading), () -> contents.remove(file));
        return 1;
    }

    private Finding finding(String message) {
        return new Finding(Severity.ERROR, Position.whole(root.toString()), "", "", message);
    }
}
