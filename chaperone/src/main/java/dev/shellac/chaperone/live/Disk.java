package dev.shellac.chaperone.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
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
public record Disk(Path table, Path vcl) {
    private static final String READABLE = "rw-r--r--";

    /** Where a VCL is tried. */
    Path candidate() {
        return vcl.resolveSibling("candidate.vcl");
    }

    boolean hasTable() {
        return Files.isRegularFile(table);
    }

    Optional<byte[]> readTable() throws IOException {
        return hasTable() ? Optional.of(Files.readAllBytes(table)) : Optional.empty();
    }

    Optional<String> readVcl() throws IOException {
        return Files.isRegularFile(vcl) ? Optional.of(Files.readString(vcl)) : Optional.empty();
    }

    void writeTable(byte[] bytes) throws IOException {
        replace(table, bytes);
    }

    void writeVcl(String text) throws IOException {
        replace(vcl, text.getBytes(UTF_8));
    }

    void writeCandidate(String text) throws IOException {
        replace(candidate(), text.getBytes(UTF_8));
    }

    /** Readers see the old bytes or the new ones, never some of both. */
    static void replace(Path file, byte[] bytes) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
                channel.write(rest);
            }
        }
        // The process that serves is another user.
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString(READABLE));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
