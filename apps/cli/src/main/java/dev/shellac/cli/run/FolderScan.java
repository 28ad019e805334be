package dev.shellac.cli.run;

import dev.shellac.cli.folder.Folder;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks through a folder from time to time for what the kernel did not tell. On a thread of its own: to look at thousands of files takes
 * longer than a change may.
 */
final class FolderScan implements AutoCloseable {
    private static final Duration BETWEEN = Duration.ofSeconds(10);
    private static final Duration BETWEEN_WITHOUT = Duration.ofSeconds(1);
    // Beyond this many it is cheaper to read the folder as a whole.
    private static final int MANY = 200;

    private record Look(
            long size, FileTime modified, @Nullable Object key) {}

    private final Path root;
    private final Inbox inbox;
    private final FolderWatch watch;
    private final Thread thread;
    private Map<Path, Look> known;
    private boolean there;

    private FolderScan(Path root, Inbox inbox, FolderWatch watch) {
        this.root = root;
        this.inbox = inbox;
        this.watch = watch;
        this.there = Files.isDirectory(root);
        this.known = looks();
        this.thread = Thread.ofPlatform().daemon().name("folder-scan").unstarted(this::run);
    }

    /** Tells what differs from now on. */
    static FolderScan start(Path root, Inbox inbox, FolderWatch watch) {
        var scan = new FolderScan(root, inbox, watch);
        scan.thread.start();
        return scan;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(there ? BETWEEN : BETWEEN_WITHOUT);
                scan();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void scan() {
        boolean now = Files.isDirectory(root);
        if (now) {
            watch.renew();
        }
        Map<Path, Look> looks = looks();
        Set<Path> changed = difference(looks);
        if (now != there || changed.size() > MANY) {
            inbox.changed(root);
        } else {
            changed.forEach(inbox::changed);
        }
        known = looks;
        there = now;
    }

    private Set<Path> difference(Map<Path, Look> looks) {
        var changed = new HashSet<Path>();
        looks.forEach((file, look) -> {
            if (!look.equals(known.get(file))) {
                changed.add(file);
            }
        });
        known.keySet().stream().filter(file -> !looks.containsKey(file)).forEach(changed::add);
        return changed;
    }

    private Map<Path, Look> looks() {
        var looks = new HashMap<Path, Look>();
        try {
            Files.walkFileTree(
                    root, Set.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes found) {
                            if (Folder.mayHoldObjects(file)) {
                                looks.put(file, new Look(found.size(), found.lastModifiedTime(), found.fileKey()));
                            }
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException failure) {
                            return FileVisitResult.CONTINUE; // the reader says what is wrong with it
                        }
                    });
        } catch (IOException e) {
            // As far as it could be seen.
        }
        return looks;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
