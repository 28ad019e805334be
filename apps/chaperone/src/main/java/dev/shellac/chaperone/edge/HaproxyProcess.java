package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of HAProxy's, what it prints, and its end. */
final class HaproxyProcess implements Haproxy.Running {
    private static final System.Logger LOG = System.getLogger("haproxy");
    private static final Duration STOPS = Duration.ofSeconds(2);
    private static final int LAST_WORDS = 6;
    private static final long KIBI = 1024;

    private final Process process;
    private final Deque<String> last = new ArrayDeque<>();

    private HaproxyProcess(Process process) {
        this.process = process;
    }

    static HaproxyProcess start(Process process, Runnable ended) {
        var started = new HaproxyProcess(process);
        Thread.ofVirtual().name("haproxy-output").start(started::pump);
        Thread.ofVirtual().name("haproxy-end").start(() -> started.awaitEnd(ended));
        return started;
    }

    private void awaitEnd(Runnable ended) {
        try {
            process.waitFor();
            ended.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pump() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank()) {
                    keep(line);
                    LOG.log(line.startsWith("[NOTICE]") ? Level.DEBUG : Level.INFO, "{0}", line);
                }
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "haproxy''s output ended: {0}", e.getMessage());
        }
    }

    private void keep(String line) {
        synchronized (last) {
            last.addLast(line);
            if (last.size() > LAST_WORDS) {
                last.removeFirst();
            }
        }
    }

    @Override
    public String lastWords() {
        synchronized (last) {
            return String.join("; ", last);
        }
    }

    // Pages of the program itself are shared, and can be had again from disk.
    @Override
    public long memory() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .mapToLong(handle -> anonymous(handle.pid()))
                .sum();
    }

    private static long anonymous(long pid) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return lines.filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBI)
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // it is gone
        }
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    // Java has no other signals than TERM and KILL; a shell is there, varnishd needs one for its compiler.
    @Override
    public void leave() {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -USR1 \"$0\"", String.valueOf(process.pid()))
                    .redirectErrorStream(true)
                    .start();
            kill.waitFor();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "haproxy cannot be told to leave, and is stopped: {0}", e.getMessage());
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        List<ProcessHandle> family = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(STOPS.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            family.forEach(ProcessHandle::destroyForcibly);
            process.waitFor(STOPS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            family.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }
}
