package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.net.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process as the kubelet sees it. */
final class SignalTest {
    private static final int CLIENTS = 8;

    @TempDir
    private Path folder;

    /** A connection that is kept. */
    private interface Client extends AutoCloseable {
        /** Whether it is kept after this request, too. */
        boolean ask() throws IOException;

        @Override
        void close() throws IOException;
    }

    @FunctionalInterface
    private interface Connector {
        Client connect() throws IOException;
    }

    @Test
    void aTermUnderLoadFailsNoRequest() throws Exception {
        try (Pod pod = Pod.in(folder)) {
            pod.slice("a", pod.backend("a"));
            pod.route("/a", "a");
            termUnderLoad(pod, () -> plain(KeptConnection.to(pod.port())));
        }
    }

    @Test
    void aTermUnderLoadFailsNoRequestWithTls() throws Exception {
        try (Pod pod = Pod.in(folder)) {
            var gateway = new TlsGateway(pod);
            gateway.apply();
            termUnderLoad(pod, () -> tls(TlsConnection.to(gateway.https(), "a.example.com")));
        }
    }

    @Test
    void whoAsksNothingIsNotWaitedFor() throws Exception {
        try (Pod pod = Pod.in(folder)) {
            var gateway = new TlsGateway(pod);
            gateway.apply();
            int health = FreePort.find();
            Process process = start(pod, health);
            try {
                eventually("ready", () -> isReady(health));
                try (TlsConnection tls = TlsConnection.to(gateway.https(), "a.example.com");
                        KeptConnection plain = KeptConnection.to(pod.port())) {
                    assertThat(tls.get("a.example.com", "/").kept()).isTrue();
                    assertThat(plain.ask("/")).isTrue();
                    process.destroy();
                    assertThat(process.waitFor(15, TimeUnit.SECONDS)).isTrue();
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static Client plain(KeptConnection connection) {
        return new Client() {
            @Override
            public boolean ask() throws IOException {
                return connection.ask("/a");
            }

            @Override
            public void close() throws IOException {
                connection.close();
            }
        };
    }

    private static Client tls(TlsConnection connection) {
        return new Client() {
            @Override
            public boolean ask() throws IOException {
                KeptConnection.Answer answer = connection.get("a.example.com", "/");
                if (answer.status() != 200) {
                    throw new IOException("answered " + answer);
                }
                return answer.kept();
            }

            @Override
            public void close() throws IOException {
                connection.close();
            }
        };
    }

    private void termUnderLoad(Pod pod, Connector connector) throws Exception {
        int health = FreePort.find();
        Process process = start(pod, health);
        try {
            eventually("ready", () -> isReady(health));
            var asked = new AtomicLong();
            List<String> failed = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(threads.submit(() -> load(connector, health, asked, failed)));
                }
                eventually("under load", () -> asked.get() > 200);
                process.destroy();
                for (Future<?> client : clients) {
                    client.get();
                }
            }
            assertThat(failed).isEmpty();
            // Nobody is left, so it does not wait as long as it may.
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(folder.resolve("log")))
                    .contains("LOG_LEVEL loud is unknown; it is info", "drained; 0 sessions are left");
            assertThat(process.exitValue()).isEqualTo(128 + 15);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void helpIsPrintedAndMistakesEndIt() throws Exception {
        Process help =
                new ProcessBuilder(java("--help")).redirectErrorStream(true).start();
        assertThat(new String(help.getInputStream().readAllBytes(), UTF_8))
                .contains("VARNISH_LISTEN", "BACKENDS_FILE_PATH");
        assertThat(help.waitFor()).isZero();
        var builder = new ProcessBuilder(java()).redirectErrorStream(true);
        builder.environment().put("DRAIN_DELAY", "soon");
        Process wrong = builder.start();
        assertThat(new String(wrong.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("DRAIN_DELAY=soon: a number of seconds from 0 to 3600 expected\n");
        assertThat(wrong.waitFor()).isEqualTo(2);
    }

    // Connections are kept until an answer closes them. New ones are made as long as the pod is ready, as a Service
    // does it.
    private static long load(Connector connector, int health, AtomicLong asked, List<String> failed) {
        long number = 0;
        while (isReady(health)) {
            try (Client connection = connector.connect()) {
                boolean kept = true;
                while (kept) {
                    number++;
                    asked.incrementAndGet();
                    kept = connection.ask();
                }
            } catch (IOException e) {
                add(failed, e.toString());
            }
        }
        return number;
    }

    private static void add(List<String> failed, String what) {
        synchronized (failed) {
            failed.add(what);
        }
    }

    private static boolean isReady(int health) {
        try {
            return Pod.ask("http://127.0.0.1:" + health + "/ready", "").status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private Process start(Pod pod, int health) throws IOException {
        var builder = new ProcessBuilder(java())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().putAll(pod.environment());
        builder.environment().put("HEALTH_ADDR", "127.0.0.1:" + health);
        builder.environment().put("DRAIN_DELAY", "1");
        // A mistake, of those that stop nobody.
        builder.environment().put("LOG_LEVEL", "loud");
        Files.createDirectories(folder);
        return builder.start();
    }

    private static List<String> java(String... arguments) {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.shellac.chaperone.Main"));
        command.addAll(List.of(arguments));
        return command;
    }
}
