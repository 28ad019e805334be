package dev.shellac.cli.run;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells which files below a folder changed, as the kernel says. It can miss some (a folder on a network, one behind a link), which
 * is why the folder is looked through from time to time as well.
 */
final class FolderWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FolderWatch.class.getName());

    private final Path root;
    private final Inbox inbox;
    private final WatchService service;
    private final Map<WatchKey, Path> folders = new ConcurrentHashMap<>();

    private FolderWatch(Path root, Inbox inbox, WatchService service) {
        this.root = root;
        this.inbox = inbox;
        this.service = service;
    }

    static FolderWatch start(Path root, Inbox inbox) throws IOException {
        var watch = new FolderWatch(root, inbox, root.getFileSystem().newWatchService());
        watch.watchAll(root);
        Thread.ofPlatform().daemon().name("folder-watch").start(watch::run);
        return watch;
    }

    /** Watches again what is there now: a folder that was gone and is back is another one to the kernel. */
    void renew() {
        if (folders.isEmpty()) {
            watchAll(root);
        }
    }

    private void watchAll(Path top) {
        try {
            Files.walkFileTree(top, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
                        throws IOException {
                    WatchKey key = folder.register(
                            service,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY,
                            StandardWatchEventKinds.ENTRY_DELETE);
                    folders.put(key, folder);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) {
                    return FileVisitResult.CONTINUE; // the reader says what is wrong with it
                }
            });
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "cannot watch {0}: {1}", top, e.toString());
        }
    }

    private void run() {
        try {
            while (true) {
                WatchKey key = service.take();
                Path folder = folders.get(key);
                for (WatchEvent<?> event : key.pollEvents()) {
                    changed(folder == null ? root : folder, event);
                }
                if (!key.reset()) {
                    folders.remove(key);
                    inbox.changed(root);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ClosedWatchServiceException e) {
            LOG.log(Level.DEBUG, "no longer watching {0}", root);
        }
    }

    private void changed(Path folder, WatchEvent<?> event) {
        // Kubernetes swaps a link called ..data under the files of a mounted ConfigMap.
        if (!(event.context() instanceof Path name) || name.toString().startsWith("..")) {
            inbox.changed(root);
            return;
        }
        Path path = folder.resolve(name);
        if (event.kind().equals(StandardWatchEventKinds.ENTRY_CREATE)
                && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            watchAll(path);
        }
        inbox.changed(path);
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
