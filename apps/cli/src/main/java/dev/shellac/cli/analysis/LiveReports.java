package dev.shellac.cli.analysis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** What a running {@code shellac run} wrote into its state folder. */
public final class LiveReports {
    /** The name of the file. */
    public static final String FILE = "reports.json";

    private final Path folder;

    private LiveReports(Path folder) {
        this.folder = folder;
    }

    public static LiveReports in(Path stateFolder) {
        return new LiveReports(stateFolder);
    }

    /** Whether a run has the folder. */
    public boolean isServed() {
        Path file = folder.resolve("lock");
        if (!Files.exists(file)) {
            return false;
        }
        // Who serves holds the lock for as long as it lives.
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (IOException e) {
            return false;
        }
    }

    /** What it last wrote; nothing if it has ended, was killed, or only just began. */
    public Optional<RunState> state() {
        try {
            return isServed() ? Optional.of(RunState.parse(Files.readString(folder.resolve(FILE)))) : Optional.empty();
        } catch (IOException e) {
            // Not there yet, or not any more.
            return Optional.empty();
        }
    }
}
