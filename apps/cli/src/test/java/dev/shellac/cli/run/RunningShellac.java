package dev.shellac.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code shellac run} as a process of its own, in front of the Varnish of the gateway's image. */
final class RunningShellac implements AutoCloseable {
    static final Path HOME = Path.of(System.getProperty("shellac.home", "../.."))
            .toAbsolutePath()
            .normalize();
    static final String VARNISHD = HOME.resolve("bin/root") + " run debian-13 -- varnishd";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** An answer over HTTP. */
    record Answer(int status, Map<String, String> headers) {
        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    private final Process process;
    private final Path log;
    private final Path state;
    private final Path runtimes;
    private final Path work;

    private RunningShellac(Process process, Path log, Path work) {
        this.process = process;
        this.log = log;
        this.state = work.resolve("state");
        this.runtimes = work.resolve("t");
        this.work = work;
    }

    private static List<String> java() {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.shellac.cli.Main"));
    }

    static RunningShellac start(Path folder, Path work) throws IOException {
        return start(folder, work, VARNISHD);
    }

    /** With another command for varnishd, and more options. */
    static RunningShellac start(Path folder, Path work, String varnishd, String... more) throws IOException {
        Path runtimes = Files.createDirectories(work.resolve("t"));
        Path state = work.resolve("state");
        Path log = work.resolve("log-" + System.nanoTime());
        var command = java();
        command.add(1, "-Djava.io.tmpdir=" + runtimes);
        command.addAll(List.of(
                "run",
                "--bind=127.0.0.1",
                "--state=" + state,
                "--storage=malloc,16m",
                "--varnishd=" + varnishd,
                "--ghost=" + HOME.resolve("build/ghost/debian-13/libvmod_ghost.so")));
        command.addAll(List.of(more));
        command.add(folder.toString());
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        return new RunningShellac(builder.start(), log, work);
    }

    /** What {@code shellac status} prints beside it. */
    String told(Path folder) throws IOException, InterruptedException {
        return told(folder, work);
    }

    static String told(Path folder, Path work) throws IOException, InterruptedException {
        Path file = Files.createTempFile(work, "status", ".txt");
        var command = java();
        command.addAll(List.of("status", "--state=" + work.resolve("state"), folder.toString()));
        new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .start()
                .waitFor();
        String text = Files.readString(file);
        Files.delete(file);
        return text;
    }

    void awaitTold(Path folder, String text) throws Exception {
        await("shellac status with " + text, () -> told(folder).contains(text));
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    String status() throws IOException {
        Path file = state.resolve("status.yaml");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    Path state() {
        return state;
    }

    long pid() {
        return process.pid();
    }

    /** The managers and those that serve. */
    List<ProcessHandle> varnishds() {
        return process.descendants()
                .filter(handle ->
                        name(handle).equals("varnishd") || name(handle).equals("cache-main"))
                .toList();
    }

    private static String name(ProcessHandle handle) {
        try {
            return Files.readString(Path.of("/proc/" + handle.pid() + "/comm")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    void awaitStatus(String text) throws Exception {
        await("a status with " + text, () -> status().contains(text));
    }

    void awaitLog(String text) throws Exception {
        await("a log with " + text, () -> log().contains(text));
    }

    /** For what takes a while even on a machine that does nothing else. */
    void awaitLogPatiently(String text) throws Exception {
        await("a log with " + text, PATIENCE.multipliedBy(6), () -> log().contains(text));
    }

    void awaitStatusPatiently(String text) throws Exception {
        await("a status with " + text, PATIENCE.multipliedBy(6), () -> status().contains(text));
    }

    void awaitAnswer(int port, String host, String path, int status) throws Exception {
        await(
                status + " of " + host + path,
                () -> get(port, host, path)
                        .filter(answer -> answer.status() == status)
                        .isPresent());
    }

    void await(String what, Callable<Boolean> condition) throws Exception {
        await(what, PATIENCE, condition);
    }

    private void await(String what, Duration patience, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline || !process.isAlive()) {
                throw new AssertionError("waited in vain for " + what + "; status:\n" + status() + "\nlog:\n" + log());
            }
            Thread.sleep(5);
        }
    }

    static Optional<Answer> get(int port, String host, String path) {
        return ask(port, "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n");
    }

    /** One request, its head without the last line; nothing if nobody listens. */
    static Optional<Answer> ask(int port, String head) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.getOutputStream().write((head + "Connection: close\r\n\r\n").getBytes(UTF_8));
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            String first = in.readLine();
            if (first == null) {
                return Optional.empty();
            }
            var headers = new HashMap<String, String>();
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                int colon = line.indexOf(':');
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
            return Optional.of(new Answer(Integer.parseInt(first.substring(9, 12)), headers));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Killed, without a chance to tidy up. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Told to end; nothing may be left of it. */
    @Override
    public void close() throws IOException {
        process.destroy();
        process.onExit().join();
        // Those that were killed take a moment to go on a busy machine.
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (isAnyLeft()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("a process is left");
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        try (var files = Files.list(runtimes)) {
            List<Path> kept = files.filter(file -> file.getFileName().toString().startsWith("shellac-"))
                    .toList();
            if (!kept.isEmpty()) {
                throw new AssertionError("files are left: " + kept);
            }
        }
    }

    private boolean isAnyLeft() {
        return ProcessHandle.allProcesses().anyMatch(other -> commandLine(other).contains(runtimes + "/shellac-"));
    }

    private static String commandLine(ProcessHandle handle) {
        try {
            return Files.readString(Path.of("/proc/" + handle.pid() + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }
}
