package dev.shellac.varnishd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** The process, what it prints, and its end. */
final class VarnishdProcess {
    private static final System.Logger LOG = System.getLogger("varnishd");
    private static final Pattern SEVERITY = Pattern.compile("^(Error|Warning|Info|Debug): *");
    private static final int LAST_WORDS = 12;
    private static final Duration KILLED = Duration.ofSeconds(5);

    private final Process process;
    private final Thread output;
    private final Deque<String> last = new ArrayDeque<>();

    private VarnishdProcess(Process process, Consumer<String> listener) {
        this.process = process;
        this.output = Thread.ofVirtual().name("varnishd-output").unstarted(() -> pump(listener));
    }

    static VarnishdProcess start(List<String> command, Consumer<String> listener) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .start();
        var started = new VarnishdProcess(process, listener);
        started.output.start();
        return started;
    }

    private void pump(Consumer<String> listener) {
        var levels = new OutputLevels();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Level level = levels.of(line);
                if (!line.isBlank()) {
                    keep(line);
                    LOG.log(level, "{0}", line);
                    listener.accept(line);
                }
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "varnishd''s output ended: {0}", e.getMessage());
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

    /** What it said was wrong, at the end of its life. */
    String lastWords() {
        synchronized (last) {
            List<String> errors = last.stream()
                    .filter(line -> line.startsWith("Error:") || line.contains("rror"))
                    .map(line -> SEVERITY.matcher(line).replaceFirst(""))
                    .toList();
            return String.join("; ", errors.isEmpty() ? List.copyOf(last) : errors);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end, and until all that it printed was read. */
    int await() throws InterruptedException {
        int status = process.waitFor();
        output.join(Duration.ofSeconds(1));
        return status;
    }

    /** Asks it to stop, and kills it and what it started if it takes too long. */
    void stop(Duration patience) {
        List<ProcessHandle> family = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(Level.WARNING, "varnishd (process {0}) does not stop and is killed", String.valueOf(pid()));
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor(KILLED.toMillis(), TimeUnit.MILLISECONDS);
            }
            awaitEnd(family);
        } catch (InterruptedException e) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    // The manager may be gone before those that it started; a killed one says nothing to them.
    private static void awaitEnd(List<ProcessHandle> family) throws InterruptedException {
        long deadline = System.nanoTime() + KILLED.toNanos();
        for (ProcessHandle member : family) {
            member.destroyForcibly();
            while (member.isAlive() && System.nanoTime() < deadline) {
                Thread.sleep(1);
            }
        }
    }
}
