package dev.shellac.cli.run;

import dev.shellac.cli.folder.Folder;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** A copy of each file of a folder as it was when last there was nothing wrong with it. */
final class LastGood {
    private final Path root;
    private final Path copies;

    LastGood(Path root, Path copies) {
        this.root = root;
        this.copies = copies;
    }

    /** Brings the copies of these files and folders up to date. */
    void keep(Collection<Path> changed) throws IOException {
        // A folder that is gone is not an empty one.
        if (!Files.isDirectory(root)) {
            return;
        }
        for (Path path : changed) {
            if (Files.isDirectory(path)) {
                keepAll(path);
            } else if (Files.isRegularFile(path)) {
                keepOne(path);
            } else {
                forget(copy(path));
            }
        }
    }

    private Path copy(Path path) {
        return copies.resolve(root.relativize(path));
    }

    private void keepAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                keepOne(file);
            }
        }
        Path copy = copy(folder);
        if (Files.isDirectory(copy)) {
            try (Stream<Path> kept = Files.walk(copy)) {
                for (Path file : kept.filter(Files::isRegularFile).toList()) {
                    if (!Files.exists(root.resolve(copies.relativize(file)))) {
                        Files.delete(file);
                    }
                }
            }
        }
    }

    private void keepOne(Path file) throws IOException {
        if (!Folder.mayHoldObjects(file)) {
            return;
        }
        Path copy = copy(file);
        try {
            byte[] bytes = Files.readAllBytes(file);
            boolean known = Files.exists(copy) && Arrays.equals(Files.readAllBytes(copy), bytes);
            if (!known
                    && bytes.length > 0
                    && Decoder.decode(List.of(Source.of(file.toString(), bytes)))
                            .errors()
                            .isEmpty()) {
                Files.createDirectories(copy.resolveSibling("."));
                Files.write(copy, bytes);
            }
        } catch (NoSuchFileException e) {
            Files.deleteIfExists(copy); // gone since
        }
    }

    private static void forget(Path copy) throws IOException {
        if (!Files.exists(copy)) {
            return;
        }
        Files.walkFileTree(copy, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
