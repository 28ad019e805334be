package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An upgrade that the backend refuses, through HAProxy and varnishd: the client's next requests are routed as any. */
final class RefusedUpgradeTest {
    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
        gateway = new TlsGateway(pod);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        pod.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void theNextRequestHasTheHeadersOfTheGateway() throws Exception {
        gateway.apply();
        pod.start();
        pod.awaitReady();
        try (ServerSocket backend = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> accept(backend));
            pod.slice("echo", backend.getLocalPort());
            eventually(
                    "the other backend",
                    () -> pod.debug("/debug/backends").body().contains(":" + backend.getLocalPort()));
            for (int i = 0; i < 5; i++) {
                try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com")) {
                    assertThat(connection.upgrade("a.example.com")).isEqualTo("HTTP/1.1 401 Unauthorized");
                    forge(connection);
                }
            }
        }
        assertThat(heads).hasSizeGreaterThanOrEqualTo(5);
        assertThat(heads)
                .allSatisfy(head -> assertThat(head)
                        .contains("X-Gateway-Listener: https-443")
                        .contains("X-Forwarded-For: 127.0.0.1")
                        .doesNotContain("10.9.8.7"));
    }

    // HAProxy may keep the client's connection or close it: either is right.
    private static void forge(TlsConnection connection) {
        try {
            connection.get("a.example.com", "/forged", "X-Forwarded-For: 10.9.8.7");
        } catch (IOException closed) {
            assertThat(closed).isNotNull();
        }
    }

    private void accept(ServerSocket backend) {
        try {
            while (true) {
                Socket socket = backend.accept();
                sockets.add(socket);
                Thread.startVirtualThread(() -> answer(socket));
            }
        } catch (IOException closed) {
            assertThat(backend.isClosed()).isTrue();
        }
    }

    /** Keeps its connections, as most backends do, and answers everything that comes in on them. */
    private void answer(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (String head = head(in); !head.isEmpty(); head = head(in)) {
                heads.add(head);
                String status = head.contains("Upgrade: websocket") ? "401 Unauthorized" : "200 OK";
                String text = "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n";
                socket.getOutputStream().write(text.getBytes(US_ASCII));
            }
        } catch (IOException reset) {
            heads.removeIf(String::isEmpty);
        }
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }
}
