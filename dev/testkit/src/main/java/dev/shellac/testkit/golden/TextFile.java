package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;

/** Files as this harness sees them: UTF-8 text, in order of name, links not followed. */
final class TextFile {
    private TextFile() {}

    static String read(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            throw new AssertionFailedError(file + " is not UTF-8 text", e);
        }
    }

    static void write(Path file, String text) throws IOException {
        Path folder = file.getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    static boolean isFolder(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** What lies directly in a folder, in order of name on every file system. */
    static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted(Comparator.comparing(TextFile::nameOf)).toList();
        }
    }

    /** Everything below a folder that is not itself a folder, by its path from there with slashes. */
    static SortedMap<String, Path> below(Path folder) throws IOException {
        var files = new TreeMap<String, Path>();
        try (Stream<Path> all = Files.walk(folder)) {
            all.filter(path -> !isFolder(path)).forEach(file -> files.put(slashed(folder.relativize(file)), file));
        }
        return files;
    }

    static String nameOf(Path path) {
        Path name = path.getFileName();
        return name == null ? path.toString() : name.toString();
    }

    static String slashed(Path relative) {
        return relative.toString().replace('\\', '/');
    }
}
