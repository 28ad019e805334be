package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.testkit.tls.TestCertificates;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of a HAProxy that serves: certificates that rotate, and processes that give way to each other. */
final class EdgeChangesTest {
    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
        gateway = new TlsGateway(pod);
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    private void serve() throws Exception {
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    private String shown(String serverName) throws IOException {
        try (TlsConnection connection = TlsConnection.to(gateway.https(), serverName)) {
            return connection.certificate();
        }
    }

    @Test
    void aWebSocketOutlivesTwentyCertificates() throws Exception {
        serve();
        try (ServerSocket backend = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> served = threads.submit(() -> echo(backend));
            pod.slice("echo", backend.getLocalPort());
            eventually(
                    "the other backend",
                    () -> pod.debug("/debug/backends").body().contains(":" + backend.getLocalPort()));
            try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
                assertThat(connection.upgrade("a.example.com")).isEqualTo("HTTP/1.1 101 Switching Protocols");
                assertThat(connection.echo("before")).isEqualTo("before");
                List<TestCertificates.Pair> pairs = List.of(
                        TestCertificates.of(folder, "even", "a.example.com"),
                        TestCertificates.of(folder, "odd", "a.example.com"));
                for (int i = 0; i < 20; i++) {
                    String name = i % 2 == 0 ? "even" : "odd";
                    gateway.rotate("a", pairs.get(i % 2));
                    eventually(
                            "the next certificate", () -> shown("a.example.com").equals(name));
                }
                assertThat(connection.echo("after")).isEqualTo("after");
                eventually("all counted", () -> pod.own("/metrics").body().contains("chaperone_edge_reloads_total 21"));
                assertThat(pod.own("/metrics").body()).contains("chaperone_haproxy_starts_total 1");
            }
            served.get();
        }
    }

    // RFC 6455, 1.3: the key of the client's side and what its answer is made of.
    private static boolean echo(ServerSocket backend) throws IOException {
        try (Socket socket = backend.accept()) {
            var in = socket.getInputStream();
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) in.read());
            }
            OutputStream out = socket.getOutputStream();
            out.write(String.join(
                            "\r\n",
                            "HTTP/1.1 101 Switching Protocols",
                            "Connection: Upgrade",
                            "Upgrade: websocket",
                            "Sec-WebSocket-Accept: BACScCJPNqyz+UBoqMH89VmURoA=",
                            "",
                            "")
                    .getBytes(US_ASCII));
            in.transferTo(out);
            return true;
        }
    }

    @Test
    void certificatesRotateUnderLoadWithoutAFailedRequest() throws Exception {
        serve();
        List<TestCertificates.Pair> next = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            next.add(TestCertificates.of(folder, "a" + i, "a.example.com"));
        }
        var stop = new AtomicBoolean();
        var asked = new AtomicLong();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                clients.add(threads.submit(() -> load(stop, asked)));
            }
            for (int i = 0; i < 3; i++) {
                String name = "a" + i;
                gateway.rotate("a", next.get(i));
                long start = System.nanoTime();
                eventually("the new certificate", () -> shown("a.example.com").equals(name));
                assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
            }
            long then = asked.get();
            eventually("more requests", () -> asked.get() > then + 200);
            stop.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
        }
        assertThat(asked.get()).isGreaterThan(500);
        eventually("the others left", () -> pod.haproxies().size() == 1);
        assertThat(pod.own("/metrics").body())
                .contains("chaperone_edge_reloads_total 4", "chaperone_edge_certificates 3")
                .containsPattern("haproxy_frontend_sessions_total\\{port=\"443\"} [1-9]");
    }

    // Connections are kept for some requests, so that there are old and new ones at any time.
    private long load(AtomicBoolean stop, AtomicLong asked) throws IOException {
        long number = 0;
        while (!stop.get()) {
            try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
                boolean kept = true;
                for (int i = 0; i < 50 && kept && !stop.get(); i++) {
                    KeptConnection.Answer answer = connection.get("a.example.com", "/");
                    assertThat(answer.status()).isEqualTo(200);
                    kept = answer.kept();
                    asked.incrementAndGet();
                    number++;
                }
            }
        }
        return number;
    }

    @Test
    void rotationsWithinASecondAreOne() throws Exception {
        serve();
        TestCertificates.Pair one = TestCertificates.of(folder, "a1", "a.example.com");
        TestCertificates.Pair other = TestCertificates.of(folder, "any1", "localhost");
        gateway.rotate("a", one);
        gateway.rotate("any", other);
        eventually("the one", () -> shown("a.example.com").equals("a1"));
        eventually("the other", () -> {
            try (TlsConnection any = TlsConnection.to(gateway.alt(), "localhost")) {
                return any.certificate().equals("any1");
            }
        });
        eventually("one change", () -> pod.own("/metrics").body().contains("chaperone_edge_reloads_total 2"));
        assertThat(pod.own("/metrics").body()).contains("chaperone_haproxy_starts_total 1");
    }

    @Test
    void oneOfAThousandCertificatesRotates() throws Exception {
        gateway.many(1000);
        serve();
        TestCertificates.Pair next = TestCertificates.of(folder, "next", "c500.example.com");
        long start = System.nanoTime();
        gateway.damage("c500", next.certificate() + next.key());
        eventually("the new one", () -> shown("c500.example.com").equals("next"));
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
        assertThat(shown("c499.example.com")).isEqualTo("a");
        assertThat(pod.haproxies()).hasSize(1);
        assertThat(pod.own("/metrics").body()).contains("chaperone_haproxy_starts_total 1");
    }

    // As with one every ten seconds, in less time.
    @Test
    void manyOfAThousandCertificatesRotate() throws Exception {
        gateway.many(1000);
        serve();
        List<TestCertificates.Pair> pairs = List.of(
                TestCertificates.of(folder, "even", "a.example.com"),
                TestCertificates.of(folder, "odd", "a.example.com"));
        long before = memory();
        for (int i = 0; i < 20; i++) {
            String name = "c" + 37 * (i / 2);
            TestCertificates.Pair pair = pairs.get(i % 2);
            gateway.damage(name, pair.certificate() + pair.key());
            String label = i % 2 == 0 ? "even" : "odd";
            eventually(label, () -> shown(name + ".example.com").equals(label));
            assertThat(pod.haproxies()).hasSize(1);
        }
        assertThat(shown("c999.example.com")).as("the others stay").isEqualTo("a");
        assertThat(pod.own("/metrics").body()).contains("chaperone_haproxy_starts_total 1");
        assertThat(memory() - before).as("KiB more").isLessThan(4096);
    }

    // KiB that HAProxy has for itself.
    private long memory() throws IOException {
        long all = 0;
        for (ProcessHandle process : pod.haproxies()) {
            all += Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                    .filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
        }
        return all;
    }

    @Test
    void aKilledHaproxyComesBackWithTheRotatedCertificate() throws Exception {
        serve();
        gateway.rotate("a", TestCertificates.of(folder, "next", "a.example.com"));
        eventually("the next certificate", () -> shown("a.example.com").equals("next"));
        pod.haproxies().forEach(ProcessHandle::destroyForcibly);
        eventually("it is back", () -> {
            try {
                return shown("a.example.com").equals("next");
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test
    void newOptionsWaitForTheMemoryOfThoseThatLeave() throws Exception {
        gateway.choose(keptFor(60));
        serve();
        try (ServerSocket backend = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> served = threads.submit(() -> echo(backend));
            pod.slice("echo", backend.getLocalPort());
            eventually(
                    "the other backend",
                    () -> pod.debug("/debug/backends").body().contains(":" + backend.getLocalPort()));
            try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
                assertThat(connection.upgrade("a.example.com")).isEqualTo("HTTP/1.1 101 Switching Protocols");
                gateway.choose(keptFor(59));
                gateway.apply();
                eventually("a second process", () -> starts(2));
                gateway.choose(keptFor(58));
                gateway.apply();
                eventually(
                        "it waits",
                        () -> pod.state().contains("waits until connections of 1 earlier HAProxy processes end"));
                assertThat(connection.echo("still here")).isEqualTo("still here");
            }
            served.get();
            eventually("its turn", () -> starts(3));
        }
    }

    @Test
    void connectionsAreScarceBeyondWhatEarlierProcessesLeave() throws Exception {
        gateway.choose(keptFor(60));
        serve();
        List<TlsConnection> held = new ArrayList<>();
        try {
            held.add(TlsConnection.to(gateway.https(), "a.example.com"));
            assertThat(held.getFirst().get("a.example.com", "/").kept()).isTrue();
            gateway.choose(keptFor(59));
            gateway.apply();
            eventually("a second process", () -> starts(2));
            // It has 64 of 100, of which 56 are kept.
            boolean kept = true;
            for (int i = 0; i < 60; i++) {
                held.add(TlsConnection.to(gateway.https(), "a.example.com"));
                kept = held.getLast().get("a.example.com", "/").kept();
                assertThat(kept || i > 50).isTrue();
            }
            assertThat(kept).isFalse();
        } finally {
            for (TlsConnection connection : held) {
                connection.close();
            }
        }
    }

    private boolean starts(int count) throws IOException {
        return pod.own("/metrics").body().contains("chaperone_haproxy_starts_total " + count);
    }

    // Two processes fit, with the least connections.
    private static HaproxyConfig.Options keptFor(int seconds) {
        Timeouts usual = Timeouts.USUAL;
        return HaproxyConfig.Options.USUAL.with(new HaproxyConfig.Bounds(
                100,
                Optional.empty(),
                1,
                new Timeouts(
                        usual.handshake(),
                        usual.requestHead(),
                        usual.stall(),
                        Optional.of(Duration.ofSeconds(seconds))),
                Optional.of(19L << 20)));
    }
}
