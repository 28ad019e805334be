package dev.shellac.cli.folder;

import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files at or below a path that may hold objects, and what a look at each without opening it says. Links are followed, as
 * Kubernetes mounts a ConfigMap; what is hidden or left by an editor is not.
 *
 * @param unlisted folders and files that could not be looked at, and what there is to say about it
 */
record Listing(SortedMap<Path, BasicFileAttributes> files, Map<Path, Finding> unlisted) {
    private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".json");

    static Listing of(Path root, Path path) throws IOException {
        var listing = new Listing(new TreeMap<>(), new LinkedHashMap<>());
        boolean hidden = false;
        for (Path name : root.relativize(path)) {
            hidden |= isHidden(name.toString());
        }
        if (!hidden) {
            Files.walkFileTree(
                    path, Set.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, listing.new Visitor(path));
        }
        return listing;
    }

    static Listing unreadable(Path path, IOException failure) {
        return new Listing(new TreeMap<>(), Map.of(path, finding(path, failure)));
    }

    private static Finding finding(Path path, IOException failure) {
        return new Finding(
                Severity.ERROR, Position.whole(path.toString()), "", "", "cannot be read: " + words(failure));
    }

    /** Whether a file of this name can hold objects. Vim writes {@code .a.yaml.swp} and {@code a.yaml~}, Emacs {@code #a.yaml#}. */
    static boolean isWanted(Path file) {
        String name = name(file);
        return !isHidden(name)
                && !name.startsWith("#")
                && !name.startsWith("~")
                && ENDINGS.stream().anyMatch(name::endsWith);
    }

    private static boolean isHidden(String name) {
        return name.startsWith(".");
    }

    private static String name(Path file) {
        Path name = file.getFileName();
        return name == null ? "" : name.toString();
    }

    static String words(IOException failure) {
        return switch (failure) {
            case AccessDeniedException denied -> "permission denied: let this user read it";
            case FileSystemLoopException loop -> "a link back to a folder that it is in: remove it";
            default -> failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        };
    }

    private final class Visitor extends SimpleFileVisitor<Path> {
        private final Path root;

        Visitor(Path root) {
            this.root = root;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return folder.equals(root) || !isHidden(name(folder))
                    ? FileVisitResult.CONTINUE
                    : FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (isWanted(file) && attributes.isRegularFile()) {
                files.put(file, attributes);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            // A file that is gone since its folder was listed, or a link to nothing, is no file.
            boolean gone = failure instanceof NoSuchFileException;
            if (!gone && !isHidden(name(file)) && (isWanted(file) || !Files.isRegularFile(file))) {
                unlisted.put(file, finding(file, failure));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) {
            return FileVisitResult.CONTINUE;
        }
    }
}
