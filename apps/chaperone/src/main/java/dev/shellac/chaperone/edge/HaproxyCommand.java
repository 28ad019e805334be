package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Secret;
import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The program. */
public final class HaproxyCommand implements Haproxy {
    private static final Duration LONGEST_CHECK = Duration.ofSeconds(30);
    private static final Duration LONGEST_START = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofMillis(10);
    private static final int MOST_WORDS = 2000;
    /** Its status where it has something to say of a configuration; any other is about the process. */
    private static final int REFUSED = 1;

    private static final Pattern ALONE =
            Pattern.compile("parsing \\[alone[^]]*] : 'bind [^']*' in section 'frontend' : ");

    private final List<String> command;
    private final Path folder;
    private final RuntimeSocket socket;
    private final boolean hasIpv6 = hasIpv6();
    private long lives;

    /**
     * A command line.
     *
     * @param folder where varnishd's socket is, and HAProxy's own will be
     */
    public HaproxyCommand(List<String> command, Path folder) {
        this.command = List.copyOf(command);
        this.folder = folder;
        this.socket = new RuntimeSocket(folder.resolve("haproxy.sock"));
    }

    @Override
    public Optional<String> fault(Path home) throws IOException, InterruptedException {
        return check(home, home.resolve(HaproxyReleaseStore.CONFIG));
    }

    @Override
    public Optional<String> certificateFault(Path home, String certificate) throws IOException, InterruptedException {
        Path alone = Files.createTempFile(home, "alone", ".cfg");
        try {
            Files.writeString(alone, """
                    global
                        crt-base "${EDGE_TLS}"
                    defaults
                        mode http
                        timeout client 1s
                    frontend alone
                        bind 127.0.0.1:1 ssl crt %s
                    """.formatted(certificate));
            return check(home, alone).map(words -> ALONE.matcher(words).replaceAll(""));
        } finally {
            Files.delete(alone);
        }
    }

    private Optional<String> check(Path home, Path config) throws IOException, InterruptedException {
        Process process = builder(home, "check", "-c", "-f", config.toString()).start();
        try {
            String words = new String(process.getInputStream().readNBytes(MOST_WORDS), UTF_8);
            if (!process.waitFor(LONGEST_CHECK.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("haproxy -c takes longer than " + LONGEST_CHECK.toSeconds() + " s");
            }
            return switch (process.exitValue()) {
                case 0 -> Optional.empty();
                case REFUSED -> Optional.of(readable(words, home));
                default -> throw new IOException("haproxy -c ended with " + process.exitValue() + ": " + words.strip());
            };
        } finally {
            process.destroyForcibly();
        }
    }

    // Without the folder, which nobody knows, and without what every refusal ends with.
    private static String readable(String words, Path home) {
        return words.replace(home + "/", "")
                .lines()
                .filter(line -> line.startsWith("[ALERT]"))
                .map(line -> line.replaceFirst("^\\[ALERT]\\s*\\([0-9]+\\) : (config : )?", ""))
                .filter(line -> !line.startsWith("Error(s) found") && !line.startsWith("Fatal errors found"))
                .collect(Collectors.collectingAndThen(
                        Collectors.joining("; "), said -> said.isEmpty() ? words.strip() : said));
    }

    @Override
    public Running start(Path home, Optional<Running> before, Runnable ended) throws IOException, InterruptedException {
        String life = "life-" + ProcessHandle.current().pid() + "-" + ++lives;
        var arguments = new ArrayList<>(
                List.of("-db", "-f", home.resolve(HaproxyReleaseStore.CONFIG).toString()));
        if (before.filter(Running::isAlive).isPresent()) {
            arguments.add("-x");
            arguments.add(socket.path().toString());
        }
        var running = HaproxyProcess.start(
                builder(home, life, arguments.toArray(String[]::new)).start(), ended);
        try {
            awaitServing(running, life);
            return running;
        } catch (IOException | InterruptedException e) {
            running.stop();
            throw e;
        }
    }

    private void awaitServing(HaproxyProcess running, String life) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LONGEST_START.toNanos();
        while (!serves(life)) {
            if (!running.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("haproxy did not start: " + running.lastWords());
            }
            Thread.sleep(LOOK);
        }
    }

    // The socket is the newest process's once it answers, and then all its sockets are open.
    private boolean serves(String life) {
        try {
            return socket.ask("show info").contains("description: " + life + "\n");
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public Optional<String> replace(Path started, String certificate, Secret pem) throws IOException {
        String name = started.resolve(certificate).toString();
        // An empty line is the end of it.
        String set = socket.ask(pem.<String>reveal(bytes -> new String(bytes, UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .collect(Collectors.joining("\n", "set ssl cert " + name + " <<\n", "\n"))));
        if (!set.contains("Transaction created for certificate")) {
            return Optional.of(words(set, started));
        }
        String done = socket.ask("commit ssl cert " + name);
        if (!done.contains("Success!")) {
            socket.ask("abort ssl cert " + name);
            return Optional.of(words(done, started));
        }
        return Optional.empty();
    }

    private static String words(String answer, Path started) {
        return answer.replace(started + "/", "")
                .lines()
                .filter(line -> !line.isBlank())
                .collect(Collectors.joining("; "));
    }

    @Override
    public String ask(String asked) throws IOException {
        return socket.ask(asked);
    }

    private ProcessBuilder builder(Path home, String life, String... arguments) {
        var line = new ArrayList<>(command);
        line.addAll(List.of(arguments));
        var builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().put("EDGE_FOLDER", folder.toString());
        builder.environment().put("EDGE_TLS", home.toString());
        builder.environment().put("EDGE_LIFE", life);
        if (hasIpv6) {
            builder.environment().put("EDGE_IPV6", "1");
        }
        return builder;
    }

    private static boolean hasIpv6() {
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.INET6)) {
            channel.bind(null);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
