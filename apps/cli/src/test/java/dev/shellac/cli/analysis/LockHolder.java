package dev.shellac.cli.analysis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that holds a lock until it is ended. */
final class LockHolder {
    private LockHolder() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (FileChannel channel =
                        FileChannel.open(Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            System.out.println(lock.isValid() ? "locked" : "not locked");
            Thread.sleep(60_000);
        }
    }
}
