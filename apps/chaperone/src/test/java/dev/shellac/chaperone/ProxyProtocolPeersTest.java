package dev.shellac.chaperone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PROXY headers are accepted from named networks alone; that a header names such an address does not help. */
final class ProxyProtocolPeersTest {
    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;

    @BeforeEach
    void serve() throws Exception {
        pod = Pod.in(folder);
        pod.takesProxyHeaders();
        gateway = new TlsGateway(pod);
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    private void start(String network) throws Exception {
        gateway.believe(network);
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    private int plain() throws IOException {
        try (var connection = new KeptConnection(ProxyHeader.said(ProxyHeader.line("10.1.2.3", 80), pod.port()))) {
            return connection.get("c.example.com", "/").status();
        }
    }

    private int withTls() throws IOException {
        byte[] header = ProxyHeader.line("10.1.2.3", 443);
        try (TlsConnection connection = TlsConnection.over(
                ProxyHeader.said(header, gateway.https()), TlsConnection.believing(), "a.example.com")) {
            return connection.get("a.example.com", "/").status();
        }
    }

    @Test
    void othersAreRefused() throws Exception {
        start("10.0.0.0/8");
        assertThat(plain()).isEqualTo(403);
        assertThatThrownBy(this::withTls).isInstanceOf(IOException.class);
    }

    @Test
    void theyAreServed() throws Exception {
        start("127.0.0.0/8");
        assertThat(plain()).isEqualTo(200);
        assertThat(withTls()).isEqualTo(200);
    }
}
