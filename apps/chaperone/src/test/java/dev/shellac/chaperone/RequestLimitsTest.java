package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How clients of HTTPS share the requests in flight, beside some that hold on to theirs by HTTP/2. */
final class RequestLimitsTest {
    /** Of RFC 7541's static table. */
    private static final byte POST = (byte) 0x83;

    private static final byte[] NO_SETTINGS = {};
    /** SETTINGS_INITIAL_WINDOW_SIZE of 0. */
    private static final byte[] NO_WINDOW = {0, 4, 0, 0, 0, 0};

    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;
    private final List<Socket> open = new ArrayList<>();

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
        pod.close();
    }

    private void serve(int connections, Optional<Integer> perClient) throws Exception {
        Duration patience = Duration.ofSeconds(2);
        gateway.choose(HaproxyConfig.Options.USUAL.with(new HaproxyConfig.Bounds(
                connections,
                perClient,
                2,
                new Timeouts(Duration.ofSeconds(3), patience, patience, Optional.of(Duration.ofSeconds(4))),
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
    void bodiesThatDoNotComeLeaveOthersTheirRequests() throws Exception {
        serve(472, Optional.empty());
        hold(3, NO_SETTINGS, RequestLimitsTest::halfPost);
        othersAreServed();
    }

    @Test
    void bodiesThatAreStillToComeHaveAQuarterOfTheRequests() throws Exception {
        // 64 requests, of which 16 may wait for their bodies; the last 4 of these are for connections with one.
        serve(128, Optional.empty());
        eventually("the quarter is in use", () -> {
            hold(8, NO_SETTINGS, RequestLimitsTest::halfPost);
            assertThat(status("/")).isEqualTo(200);
            try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
                return connection
                                .get("a.example.com", "/", "Content-Length: 10000")
                                .status()
                        == 503;
            }
        });
    }

    @Test
    void streamsWithoutAWindowLeaveOthersTheirRequests() throws Exception {
        serve(472, Optional.empty());
        hold(3, NO_WINDOW, RequestLimitsTest::get);
        othersAreServed();
        // Enough for all requests, were the last quarter not for connections with a single one.
        hold(20, NO_WINDOW, RequestLimitsTest::get);
        othersAreServed();
    }

    @Test
    void noClientHasMoreRequestsThanItsShare() throws Exception {
        serve(472, Optional.of(118));
        hold(8, NO_WINDOW, RequestLimitsTest::get);
        eventually("the share is in use", () -> status("/") == 503);
        try (TlsConnection connection = TlsConnection.over(
                new Socket(InetAddress.getLoopbackAddress(), gateway.https(), InetAddress.getByName("127.0.0.2"), 0),
                TlsConnection.believing(),
                "a.example.com",
                "http/1.1")) {
            assertThat(connection.get("a.example.com", "/").status()).isEqualTo(200);
        }
    }

    // More streams on each connection than HAProxy lets it have at once.
    private void hold(int connections, byte[] settings, IntFunction<byte[]> frames)
            throws IOException, GeneralSecurityException {
        for (int i = 0; i < connections; i++) {
            SSLSocket socket = Http2.connect(gateway.https(), settings);
            open.add(socket);
            OutputStream out = socket.getOutputStream();
            for (int number = 0; number < 79; number++) {
                out.write(frames.apply(number));
            }
        }
    }

    // For longer than a client may hold on.
    private void othersAreServed() throws Exception {
        for (int i = 0; i < 25; i++) {
            assertThat(status("/")).as("request %d", i).isEqualTo(200);
            Thread.sleep(100);
        }
    }

    private static byte[] get(int number) {
        return Http2.frame(1, 5, 2 * number + 1, Http2.head(""));
    }

    private static byte[] halfPost(int number) {
        byte[] head = Http2.head("content-length: 10000");
        head[0] = POST;
        return Http2.joined(Http2.frame(1, 4, 2 * number + 1, head), Http2.frame(0, 0, 2 * number + 1, new byte[1]));
    }
}
