package dev.shellac.chaperone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who a Gateway asks for a certificate ({@code spec.tls.frontend}), by real handshakes through HAProxy. */
final class ClientCertificateTest {
    private static final String HOST = "a.example.com";

    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;
    private TestCertificates.Signed known;
    private TestCertificates.Signed stranger;

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
        gateway = new TlsGateway(pod);
        known = TestCertificates.signed(folder, "known");
        stranger = TestCertificates.signed(folder, "stranger");
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    private void serve(String mode) throws Exception {
        gateway.askClients(known.authority(), mode);
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    // With TLS 1.3 a client learns of a refusal only when it reads.
    private int ask(SSLContext client, int port) throws IOException {
        try (TlsConnection connection = TlsConnection.to(client, port, HOST)) {
            return connection.get(HOST, "/").status();
        }
    }

    @Test
    void onlyCertificatesOfTheAuthorityAreLetIn() throws Exception {
        serve("AllowValidOnly");
        assertThat(ask(TlsConnection.showing(known.pair()), gateway.https())).isEqualTo(200);
        assertThatThrownBy(() -> ask(TlsConnection.believing(), gateway.https()))
                .as("a client without a certificate")
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ask(TlsConnection.showing(stranger.pair()), gateway.https()))
                .as("a client of another authority")
                .isInstanceOf(IOException.class);
        assertThat(ask(TlsConnection.believing(), gateway.alt()))
                .as("a port that asks nobody")
                .isEqualTo(200);
        assertThat(ask(TlsConnection.showing(known.pair()), gateway.https()))
                .as("others are not disturbed")
                .isEqualTo(200);
    }

    @Test
    void theInsecureFallbackAsksAndLetsEverybodyIn() throws Exception {
        serve("AllowInsecureFallback");
        assertThat(ask(TlsConnection.showing(known.pair()), gateway.https())).isEqualTo(200);
        assertThat(ask(TlsConnection.believing(), gateway.https())).isEqualTo(200);
        assertThat(ask(TlsConnection.showing(stranger.pair()), gateway.https())).isEqualTo(200);
    }
}
