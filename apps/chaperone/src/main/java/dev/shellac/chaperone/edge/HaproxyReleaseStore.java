package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Secret;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Candidates on disk: a folder for each, which nobody but us can read and which is never changed; and a link to the last one that HAProxy
 * took, which the next start begins with.
 */
record HaproxyReleaseStore(Path folder) {
    static final String CONFIG = "haproxy.cfg";

    private static final String GOOD = "good";
    private static final FileAttribute<Set<PosixFilePermission>> OURS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> READ_BY_US =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /**
     * Writes one, and says where it is. A file that the last one that was taken has too is the same file: they are in memory, and a set may be large. Of those
     * that were only tried none is left.
     */
    Path write(HaproxyRelease release) throws IOException {
        Files.createDirectories(folder, OURS_ALONE);
        Path home = folder.resolve(release.name());
        if (Files.isDirectory(home)) {
            return home;
        }
        Optional<Path> before = good();
        sweep();
        // Whole or not at all: it is known by its name.
        Path making = folder.resolve(release.name() + ".new");
        remove(making);
        Files.createDirectory(making, OURS_ALONE);
        write(making.resolve(CONFIG), release.config().getBytes(UTF_8));
        for (Map.Entry<String, Secret> file : release.files().entrySet()) {
            put(before.map(last -> last.resolve(file.getKey())), making.resolve(file.getKey()), file.getValue());
        }
        Files.move(making, home, StandardCopyOption.ATOMIC_MOVE);
        return home;
    }

    private static void put(Optional<Path> before, Path file, Secret secret) throws IOException {
        if (before.isPresent()
                && Files.isRegularFile(before.get(), LinkOption.NOFOLLOW_LINKS)
                && Secret.of(Files.readAllBytes(before.get())).equals(secret)) {
            Files.createLink(file, before.get());
        } else {
            write(file, secret.<byte[]>reveal(bytes -> bytes));
        }
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), READ_BY_US)) {
            for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
                channel.write(rest);
            }
        }
    }

    /** The last one that was taken. */
    Optional<Path> good() throws IOException {
        Path link = folder.resolve(GOOD);
        if (!Files.isSymbolicLink(link)) {
            return Optional.empty();
        }
        Path home = folder.resolve(Files.readSymbolicLink(link));
        return Files.isRegularFile(home.resolve(CONFIG)) ? Optional.of(home) : Optional.empty();
    }

    /** From now on the next start begins with this one; the others go. */
    void keep(Path home) throws IOException {
        Path next = folder.resolve(GOOD + ".new");
        Files.deleteIfExists(next);
        Files.createSymbolicLink(next, home.getFileName());
        Files.move(next, folder.resolve(GOOD), StandardCopyOption.ATOMIC_MOVE);
        sweep(home);
    }

    /** The next start begins with none; whether there was one, if only one that was tried. */
    boolean forget() throws IOException {
        Files.deleteIfExists(folder.resolve(GOOD));
        return sweep(folder);
    }

    /** Those that were not taken go, half written ones included. */
    void sweep() throws IOException {
        sweep(good().orElse(folder));
    }

    private boolean sweep(Path kept) throws IOException {
        boolean wasAny = false;
        if (!Files.isDirectory(folder)) {
            return wasAny;
        }
        try (Stream<Path> all = Files.list(folder)) {
            for (Path one : all.filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .filter(path -> !path.equals(kept))
                    .toList()) {
                remove(one);
                wasAny = true;
            }
        }
        return wasAny;
    }

    private static void remove(Path home) throws IOException {
        if (Files.isDirectory(home)) {
            List<Path> all;
            try (Stream<Path> found = Files.walk(home)) {
                all = found.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path path : all) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** What was written there. */
    static HaproxyRelease read(Path home) throws IOException {
        var files = new TreeMap<String, Secret>();
        try (Stream<Path> all = Files.list(home)) {
            for (Path file : all.filter(path -> !path.endsWith(CONFIG)).toList()) {
                files.put(file.getFileName().toString(), Secret.of(Files.readAllBytes(file)));
            }
        }
        return new HaproxyRelease(Files.readString(home.resolve(CONFIG)), files);
    }
}
