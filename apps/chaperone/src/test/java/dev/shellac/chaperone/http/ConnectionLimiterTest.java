package dev.shellac.chaperone.http;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.shellac.chaperone.http.ConnectionLimiter.Bounds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConnectionLimiterTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final List<AutoCloseable> things = new ArrayList<>();
    private HttpServer server;

    ConnectionLimiterTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    }

    @BeforeEach
    void start() {
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                byte[] body = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, body.length + 2L);
                exchange.getResponseBody().write("ok".getBytes(US_ASCII));
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable thing : things.reversed()) {
            thing.close();
        }
        server.stop(0);
    }

    /** A silent peer fills every place and goes on; a probe from elsewhere is answered each time. */
    @Test
    void nobodyKeepsOthersOut() throws Exception {
        ConnectionLimiter limiter = limiter(new Bounds(8, LONG));
        Socket patient = connect(limiter, "127.0.0.1");
        assertThat(ask(patient)).contains("200 OK").endsWith("ok");
        var silent = new ArrayList<Socket>();
        for (int i = 0; i < 40; i++) {
            silent.add(connect(limiter, "127.0.0.2"));
            if (i % 8 == 7) {
                assertThat(ask(connect(limiter, "127.0.0.3"))).contains("200 OK");
            }
        }
        assertThat(ask(patient))
                .as("the oldest connection of all, of a peer that has one")
                .contains("200 OK");
        eventually("the flood's oldest is closed", () -> isClosed(silent.getFirst()));
    }

    @Test
    void aRequestThatNeverEndsIsEnded() throws Exception {
        ConnectionLimiter limiter = limiter(new Bounds(8, Duration.ofMillis(300)));
        Socket slow = connect(limiter, "127.0.0.1");
        eventually("it is closed though bytes go on coming", () -> {
            slow.getOutputStream().write("G".getBytes(US_ASCII));
            return isClosed(slow);
        });
    }

    @Test
    void whoHasSaidAllStillGetsAnAnswer() throws Exception {
        Socket socket = connect(limiter(new Bounds(8, LONG)), "127.0.0.1");
        socket.getOutputStream().write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".getBytes(US_ASCII));
        socket.shutdownOutput();
        assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII)).endsWith("okabc");
    }

    private ConnectionLimiter limiter(Bounds bounds) throws IOException {
        var limiter = ConnectionLimiter.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), server.getAddress(), bounds);
        things.add(limiter);
        return limiter;
    }

    private Socket connect(ConnectionLimiter limiter, String from) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), limiter.port(), InetAddress.ofLiteral(from), 0);
        things.add(socket);
        return socket;
    }

    private static String ask(Socket socket) throws IOException {
        socket.setSoTimeout((int) LONG.toMillis());
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
        var answer = new StringBuilder();
        while (!answer.toString().endsWith("\r\n\r\nok")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed after: " + answer);
            }
            answer.append((char) next);
        }
        return answer.toString();
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(50);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
