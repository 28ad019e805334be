package dev.shellac.cli.folder;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.Source;
import dev.shellac.decode.tree.Position;
import dev.shellac.decode.tree.TreeReader;
import dev.shellac.model.ResourceId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One file.
 *
 * @param decoded what it holds
 * @param kept what it held before and, being broken, does not hold now
 */
record FileReading(Stamp stamp, Decoded decoded, List<Located> kept) {
    private static final String EMPTY = "is empty: write objects into it, or remove it";

    /** What a file looks like from outside; while that is the same, so is its content. */
    record Stamp(long size, Instant modified, @Nullable Object key, Instant seen) {
        // The kernel's own clock for files ticks every 1 to 10 ms: a file can change twice within one tick, and look
        // the same after as before.
        private static final Duration TICK = Duration.ofMillis(100);

        static Stamp of(BasicFileAttributes attributes, Instant seen) {
            return new Stamp(attributes.size(), attributes.lastModifiedTime().toInstant(), attributes.fileKey(), seen);
        }

        boolean stillDescribes(BasicFileAttributes now) {
            return equals(of(now, seen)) && modified.plus(TICK).isBefore(seen);
        }
    }

    /** Reads the file; nothing where it is gone by now. */
    static Optional<FileReading> of(Path file, Stamp stamp, @Nullable FileReading before) {
        try {
            Decoded decoded = decode(file, stamp);
            if (before != null && before.decoded.equals(decoded)) {
                return Optional.of(new FileReading(stamp, before.decoded, before.kept));
            }
            List<Located> kept = before == null || !isBroken(decoded) ? List.of() : missing(before, decoded);
            return Optional.of(new FileReading(stamp, explained(file, decoded, kept), kept));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** What the file held when this copy was made; that it does not look so any more is certain. */
    static Optional<FileReading> remembered(Path file, Path copy) {
        try {
            Decoded decoded = Decoder.decode(List.of(Source.of(file.toString(), Files.readAllBytes(copy))));
            return Optional.of(new FileReading(new Stamp(-1, Instant.EPOCH, null, Instant.EPOCH), decoded, List.of()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Decoded decode(Path file, Stamp stamp) throws NoSuchFileException {
        if (stamp.size() > TreeReader.MOST_BYTES) {
            return finding(
                    file,
                    Severity.ERROR,
                    "cannot be read: the file has " + stamp.size() + " bytes; at most " + TreeReader.MOST_BYTES
                            + " are read: split it");
        }
        try {
            byte[] bytes = Files.readAllBytes(file);
            return isBlank(bytes)
                    ? finding(file, Severity.WARNING, EMPTY)
                    : Decoder.decode(List.of(Source.of(file.toString(), bytes)));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            return finding(file, Severity.ERROR, "cannot be read: " + Listing.words(e));
        }
    }

    // An editor that writes in place empties the file first.
    private static boolean isBroken(Decoded decoded) {
        return !decoded.errors().isEmpty()
                || decoded.findings().stream()
                        .anyMatch(finding -> finding.message().equals(EMPTY));
    }

    private static List<Located> missing(FileReading before, Decoded decoded) {
        Set<ResourceId> there =
                decoded.objects().stream().map(found -> found.resource().id()).collect(Collectors.toSet());
        var missing = new ArrayList<Located>();
        for (List<Located> objects : List.of(before.decoded.objects(), before.kept)) {
            objects.stream().filter(found -> there.add(found.resource().id())).forEach(missing::add);
        }
        return List.copyOf(missing);
    }

    /** Why an object is used as it last was. */
    Finding cause(ResourceId id) {
        String bare = id.type().kind() + " " + id.name().name();
        return decoded.findings().stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .filter(finding -> finding.object().equals(id.toString())
                        || finding.object().equals(bare))
                .findFirst()
                .or(() -> decoded.errors().stream().findFirst())
                .orElseGet(() -> decoded.findings().getFirst());
    }

    private static Decoded explained(Path file, Decoded decoded, List<Located> kept) {
        if (kept.isEmpty()) {
            return decoded;
        }
        var findings = new ArrayList<>(decoded.findings());
        String names =
                kept.stream().map(found -> found.resource().id().toString()).collect(Collectors.joining(", "));
        findings.addAll(finding(file, Severity.WARNING, "until it is mended, this is used as it last was: " + names)
                .findings());
        return new Decoded(decoded.objects(), findings);
    }

    private static Decoded finding(Path file, Severity severity, String message) {
        return new Decoded(
                List.of(), List.of(new Finding(severity, new Position(file.toString(), 1), "", "", message)));
    }

    private static boolean isBlank(byte[] bytes) {
        for (byte b : bytes) {
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                return false;
            }
        }
        return true;
    }
}
