package dev.shellac.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.cli.analysis.LiveReports;
import dev.shellac.model.Name;
import dev.shellac.translate.resolve.UserVcl;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is kept from run to run, for this user alone: {@code status.yaml} and {@code reports.json} of now, the last good copy of each
 * file ({@code last-good}), the VCL that each Gateway last took ({@code vcl}) and the text of each ConfigMap that was in effect with it ({@code user-vcl}).
 */
final class StateFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StateFolder.class.getName());

    private final Path folder;
    private final FileChannel channel;

    private StateFolder(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /** Nothing if another process has it. */
    static Optional<StateFolder> open(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        FileChannel channel =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            return Optional.empty();
        }
        // Of a run that was killed.
        Files.deleteIfExists(folder.resolve(LiveReports.FILE));
        return Optional.of(new StateFolder(folder, channel));
    }

    Path lastGood() {
        return folder.resolve("last-good");
    }

    void write(String name, String text) throws IOException {
        Path next = folder.resolve(name + ".new");
        Files.createDirectories(folder);
        Files.writeString(next, text);
        Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The user's VCL that a Gateway last took; empty text if it took ours alone. */
    Optional<String> vcl(Name gateway) {
        try {
            return Optional.of(Files.readString(vclFile(gateway)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    void keepVcl(Name gateway, String text) throws IOException {
        Files.createDirectories(folder.resolve("vcl"));
        Files.writeString(vclFile(gateway), text);
    }

    /** The text that was last in effect of a key of a ConfigMap. */
    Optional<String> userVcl(Name configMap, String key) {
        try {
            return Optional.of(Files.readString(userVclFile(configMap, key)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    void keepUserVcl(UserVcl vcl) throws IOException {
        Files.createDirectories(folder.resolve("user-vcl"));
        Files.writeString(userVclFile(vcl.configMap(), vcl.key()), vcl.text());
    }

    // Neither has a slash, and names have no underscore.
    private Path userVclFile(Name configMap, String key) {
        return folder.resolve("user-vcl").resolve(configMap.namespace() + "_" + configMap.name() + "_" + key);
    }

    private Path vclFile(Name gateway) {
        return folder.resolve("vcl").resolve(gateway.namespace() + "_" + gateway.name() + ".vcl");
    }

    /** Remembers a process, to be ended should this one be killed before it could. */
    synchronized void started(long pid) throws IOException {
        String birth = birth(pid).map(Instant::toString).orElse("");
        Files.writeString(
                folder.resolve("processes"),
                pid + " " + birth + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Remembers the folder of what lasts as long as a run. */
    void uses(Path runtime) throws IOException {
        write("runtime", runtime.toString());
    }

    /** Ends and removes what a killed run left: it holds ports. */
    void endLeftovers() throws IOException, InterruptedException {
        endProcesses();
        Path runtime = folder.resolve("runtime");
        if (Files.exists(runtime)) {
            remove(Path.of(Files.readString(runtime)));
            Files.delete(runtime);
        }
    }

    static void remove(Path top) throws IOException {
        if (!Files.exists(top)) {
            return;
        }
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path emptied, @Nullable IOException failure) throws IOException {
                Files.delete(emptied);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void endProcesses() throws IOException, InterruptedException {
        Path file = folder.resolve("processes");
        List<String> lines;
        try {
            lines = Files.readAllLines(file, UTF_8);
        } catch (NoSuchFileException e) {
            return;
        }
        for (String line : lines) {
            String[] words = line.split(" ", 2);
            Optional<ProcessHandle> left = ProcessHandle.of(Long.parseLong(words[0]))
                    .filter(process -> birth(process.pid())
                            .map(Instant::toString)
                            .filter(birth -> words.length > 1 && birth.equals(words[1]))
                            .isPresent());
            if (left.isPresent()) {
                LOG.log(Level.WARNING, "ending varnishd, process {0}, which a killed run left", words[0]);
                end(left.get());
            }
        }
        Files.delete(file);
    }

    private static void end(ProcessHandle process) throws InterruptedException {
        process.destroy();
        for (int i = 0; i < 500 && process.isAlive(); i++) {
            Thread.sleep(10);
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static Optional<Instant> birth(long pid) {
        return ProcessHandle.of(pid).flatMap(process -> process.info().startInstant());
    }

    /** All that was started has ended. */
    void allEnded() {
        try {
            Files.deleteIfExists(folder.resolve("processes"));
            Files.deleteIfExists(folder.resolve("runtime"));
            Files.deleteIfExists(folder.resolve(LiveReports.FILE));
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "cannot tidy up {0}: {1}", folder, e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
