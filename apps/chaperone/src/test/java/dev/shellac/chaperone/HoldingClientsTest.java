package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of HTTPS that hold on to what they have, and what others get beside them. */
final class HoldingClientsTest {
    private static final int PING = 6;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int LARGE = 20 << 20;
    private static final int PIECE = 20_000;

    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;
    private final List<Socket> open = new ArrayList<>();
    private final List<TlsConnection> held = new ArrayList<>();

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
        gateway = new TlsGateway(pod);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        for (TlsConnection connection : held) {
            connection.close();
        }
        pod.close();
    }

    // Of a pod of 512 MiB, with less patience.
    private void serve(Optional<Integer> perClient) throws Exception {
        serve(472, perClient, Duration.ofSeconds(4));
    }

    private void serve(int connections, Optional<Integer> perClient, Duration keepAlive) throws Exception {
        serve(connections, perClient, keepAlive, Duration.ofSeconds(2));
    }

    private void serve(int connections, Optional<Integer> perClient, Duration keepAlive, Duration stall)
            throws Exception {
        gateway.choose(HaproxyConfig.Options.USUAL.with(new HaproxyConfig.Bounds(
                connections,
                perClient,
                2,
                new Timeouts(Duration.ofSeconds(3), Duration.ofSeconds(2), stall, Optional.of(keepAlive)),
                Optional.of(32L << 20))));
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    private int status(String path) throws IOException {
        try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
            return connection.get("a.example.com", path).status();
        }
    }

    @Test
    void fourHundredSilentClientsDelayNobody() throws Exception {
        serve(Optional.empty());
        for (int i = 0; i < 400; i++) {
            open.add(KeptConnection.socket(gateway.https()));
        }
        // For longer than the kernel holds them back.
        for (int i = 0; i < 10; i++) {
            long start = System.nanoTime();
            assertThat(status("/")).isEqualTo(200);
            assertThat(System.nanoTime() - start).isLessThan(1_000_000_000L);
            Thread.sleep(150);
        }
        eventually("they are let go", () -> isClosed(open.getFirst()));
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return e.getMessage() != null && e.getMessage().contains("reset");
        }
    }

    @Test
    void noClientHasMoreThanItsShare() throws Exception {
        serve(Optional.of(5));
        for (int i = 0; i < 5; i++) {
            open.add(KeptConnection.socket(gateway.https()));
            open.getLast().getOutputStream().write(22);
        }
        eventually("the sixth is rejected", () -> {
            try {
                status("/");
                return false;
            } catch (IOException e) {
                return true;
            }
        });
        Socket other =
                new Socket(InetAddress.getLoopbackAddress(), gateway.https(), InetAddress.getByName("127.0.0.2"), 0);
        try (TlsConnection connection =
                TlsConnection.over(other, TlsConnection.believing(), "a.example.com", "http/1.1")) {
            assertThat(connection.get("a.example.com", "/").status()).isEqualTo(200);
        }
    }

    @Test
    void connectionsOfAllPortsTogetherAreScarce() throws Exception {
        // Of 40, 35 are kept: neither port has so many.
        serve(40, Optional.empty(), Duration.ofSeconds(60));
        var kept = new ArrayList<Boolean>();
        for (int i = 0; i < 38; i++) {
            TlsConnection connection = TlsConnection.to(i % 2 == 0 ? gateway.https() : gateway.alt(), "a.example.com");
            held.add(connection);
            kept.add(connection.get("a.example.com", "/").kept());
        }
        assertThat(kept.subList(0, 35)).as("up to seven eighths").containsOnly(true);
        assertThat(kept.getLast()).as("beyond, by both ports together").isFalse();
    }

    // HAProxy 3.0 ends no connection of HTTP/2 for Connection: close, so that its idle time has to be short.
    @Test
    void idleConnectionsOfHttp2EndWhenTheirTimeIsOver() throws Exception {
        serve(Optional.empty());
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < 3; i++) {
            SSLSocket socket = http2();
            socket.getOutputStream().write(Http2.frame(1, 5, 1, Http2.head("")));
            clients.add(Thread.ofVirtual().start(() -> drain(socket)));
        }
        long start = System.nanoTime();
        for (Thread client : clients) {
            assertThat(client.join(Duration.ofSeconds(10))).as("ended").isTrue();
        }
        assertThat(System.nanoTime() - start).isGreaterThan(3_000_000_000L);
    }

    @Test
    void aBodyThatDripsReachesNobody() throws Exception {
        serve(Optional.empty());
        try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
            assertThat(connection
                            .get("a.example.com", "/", "Content-Length: 1000000")
                            .status())
                    .isEqualTo(408);
        }
        try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
            assertThat(connection.get("a.example.com", "/", "Content-Length: 0").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void whoReadsTooSlowlyIsLetGo() throws Exception {
        pod.bearsSlowClients(Duration.ofSeconds(2));
        // HAProxy by itself is patient: it is not what ends anybody.
        serve(472, Optional.empty(), Duration.ofSeconds(4), Duration.ofSeconds(60));
        pod.slice("echo", pod.backend("x".repeat(LARGE)));
        eventually("a large response", () -> {
            try (TlsConnection it = begin(64 << 10)) {
                return it.read(100).length == 100;
            } catch (IOException e) {
                return false;
            }
        });
        TlsConnection honest = begin(4096);
        TlsConnection slow = begin(4096);
        var rest = new AtomicInteger(LARGE);
        var isEnded = new AtomicBoolean();
        Thread reader = Thread.ofVirtual().start(() -> readSteadily(honest, rest, isEnded));
        try {
            eventually("it is let go", () -> pod.own("/metrics").body().contains("varnish_ghost_stalled 1"));
        } finally {
            isEnded.set(true);
            reader.join();
        }
        assertThat(honest.read(rest.get())).as("the rest").hasSize(rest.get());
        assertThatThrownBy(() -> slow.read(LARGE)).isInstanceOf(IOException.class);
    }

    private static void readSteadily(TlsConnection connection, AtomicInteger rest, AtomicBoolean isEnded) {
        try {
            while (!isEnded.get() && rest.get() > PIECE) {
                rest.addAndGet(-connection.read(PIECE).length);
                Thread.sleep(100);
            }
        } catch (IOException | InterruptedException e) {
            // what is left shows it
        }
    }

    // Asks for all that the backend has.
    private TlsConnection begin(int buffer) throws IOException {
        var socket = new Socket();
        open.add(socket);
        socket.setReceiveBufferSize(buffer);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.https()));
        socket.setSoTimeout(20_000);
        TlsConnection connection = TlsConnection.over(socket, TlsConnection.believing(), "a.example.com", "http/1.1");
        held.add(connection);
        assertThat(connection.begin("GET /", "a.example.com")).startsWith("HTTP/1.1 200");
        return connection;
    }

    @Test
    void malformedHeadersAreCountedAsGlitches() throws Exception {
        serve(Optional.empty());
        assertThatThrownBy(() -> flood(20_000, i -> Http2.frame(1, 5, 2 * i + 1, Http2.head("A: b"))))
                .isInstanceOf(IOException.class);
    }

    @Test
    void requestsThatAreResetAreCounted() throws Exception {
        serve(Optional.empty());
        // Late enough to be seen, and hardly answered yet.
        assertThatThrownBy(() -> flood(
                        20_000,
                        i -> i < 3
                                ? Http2.frame(1, 5, 2 * i + 1, Http2.head(""))
                                : Http2.joined(
                                        Http2.frame(1, 5, 2 * i + 1, Http2.head("")),
                                        Http2.frame(RESET, 0, 2 * (i - 3) + 1, new byte[4]))))
                .isInstanceOf(IOException.class);
    }

    // HAProxy 3.0 counts none of these; what ends such a connection is that it asks for nothing.
    @Test
    void framesWithoutARequestKeepNoConnection() throws Exception {
        serve(Optional.empty());
        for (int type : new int[] {PING, SETTINGS}) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> flood(20_000, _ -> Http2.frame(type, 0, 0, new byte[type == PING ? 8 : 0])))
                    .isInstanceOf(IOException.class);
            assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
        }
    }

    private interface Frames {
        byte[] at(int number);
    }

    // One a millisecond, until the gateway ends the connection.
    private void flood(int count, Frames frames) throws IOException, GeneralSecurityException, InterruptedException {
        SSLSocket socket = http2();
        OutputStream out = socket.getOutputStream();
        Thread reader = Thread.ofVirtual().start(() -> drain(socket));
        for (int i = 0; i < count && reader.isAlive(); i++) {
            out.write(frames.at(i));
            Thread.sleep(1);
        }
        if (!reader.isAlive()) {
            throw new IOException("the gateway ended the connection");
        }
    }

    private SSLSocket http2() throws IOException, GeneralSecurityException {
        SSLSocket socket = Http2.connect(gateway.https());
        open.add(socket);
        return socket;
    }

    private static void drain(SSLSocket socket) {
        try (InputStream in = socket.getInputStream()) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // that is the end, too
        }
    }
}
