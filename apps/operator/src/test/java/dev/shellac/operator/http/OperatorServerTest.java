package dev.shellac.operator.http;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.operator.http.OperatorServer.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The operator's pages, in a virtual machine with the options of its image. */
final class OperatorServerTest {
    private static final int MOST = 128;

    private final List<Socket> sockets = new ArrayList<>();
    private final Process process;
    private final int port;

    /** Serves a page until its input ends. */
    static final class Pages {
        private Pages() {}

        public static void main(String[] arguments) throws IOException {
            try (var server = new OperatorServer()) {
                System.out.println(server.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Map.of("/metrics", () -> Answer.ok("fine\n"))));
                System.in.read();
            }
        }
    }

    OperatorServerTest() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + Path.of("../..", "images", "operator", "java.args"),
                        "-Dsun.net.httpserver.maxReqTime=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Pages.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        port = Integer.parseInt(
                new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII)).readLine());
    }

    @AfterEach
    void end() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        process.getOutputStream().close();
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void connectionsAreBoundedAndRequestsThatNeverEndAreEnded() throws Exception {
        assertThat(answer(connect())).startsWith("HTTP/1.1 200");
        for (int i = 0; i < MOST + 50; i++) {
            begin(connect());
        }
        eventually(
                "those beyond the bound are closed",
                () -> sockets.stream().filter(OperatorServerTest::isClosed).count() >= 50);
        eventually("so are those that took too long", () -> sockets.stream().allMatch(OperatorServerTest::isClosed));
        assertThat(answer(connect())).as("whoever comes next").startsWith("HTTP/1.1 200");
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(socket);
        return socket;
    }

    // One that was refused meanwhile is no fault.
    private static void begin(Socket socket) {
        try {
            socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nX: ".getBytes(US_ASCII));
        } catch (IOException e) {
            assertThat(isClosed(socket)).isTrue();
        }
    }

    private static String answer(Socket socket) throws IOException {
        socket.getOutputStream()
                .write("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
