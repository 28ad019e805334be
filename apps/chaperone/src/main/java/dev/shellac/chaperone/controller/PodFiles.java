package dev.shellac.chaperone.controller;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishconfig.table.GhostTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The files of a pod: the table that the router reads, and the VCL that was taken last. They outlive this process, and the next one
 * starts from them, whether the API is there or not.
 *
 * @param table ghost.json
 * @param vcl the last VCL that varnishd took
 */
public record PodFiles(Path table, Path vcl) {
    private static final String READABLE = "rw-r--r--";

    /** Where a VCL is tried. */
    Path candidate() {
        return vcl.resolveSibling("candidate.vcl");
    }

    /** Lays the table aside that the process before left; whether it left one. */
    boolean keepTable() throws IOException {
        boolean isThere = Files.isRegularFile(table);
        if (isThere) {
            Files.copy(table, kept(), StandardCopyOption.REPLACE_EXISTING);
        }
        return isThere;
    }

    /** The table is again what was laid aside. */
    void restoreTable() throws IOException {
        Path next = next(table);
        Files.copy(kept(), next, StandardCopyOption.REPLACE_EXISTING);
        replaceWith(next, table);
    }

    private Path kept() {
        return table.resolveSibling(table.getFileName() + ".kept");
    }

    Optional<String> readVcl() throws IOException {
        return Files.isRegularFile(vcl) ? Optional.of(Files.readString(vcl)) : Optional.empty();
    }

    /** Beside the heap, which has no room for a table of thousands of routes in one piece. */
    void writeTable(GhostTable text) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer bytes = arena.allocate(text.length()).asByteBuffer();
            text.copyTo(bytes);
            replace(table, bytes.flip());
        }
    }

    void writeVcl(String text) throws IOException {
        replace(vcl, text);
    }

    void writeCandidate(String text) throws IOException {
        replace(candidate(), text);
    }

    static void replace(Path file, String text) throws IOException {
        replace(file, UTF_8.encode(text));
    }

    /** Readers see the old bytes or the new ones, never some of both. */
    private static void replace(Path file, ByteBuffer bytes) throws IOException {
        Path next = next(file);
        try (FileChannel channel = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        replaceWith(next, file);
    }

    private static Path next(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    private static void replaceWith(Path next, Path file) throws IOException {
        // The process that serves is another user.
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString(READABLE));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
