package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.testkit.tls.TestCertificates;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    // HAProxy verifies nobody whose session it resumes, and knows the sessions of all ports.
    @ParameterizedTest
    @EnumSource
    void aSessionOfAPortThatAsksNobodyOpensNoOther(Version version) throws Exception {
        gateway.serveOneHost();
        serve("AllowValidOnly");
        SSLContext client = TlsConnection.believing();
        assertThat(version.ask(client, gateway.alt())).isEqualTo(200);
        assertThatThrownBy(() -> version.ask(client, gateway.https())).isInstanceOf(IOException.class);
        assertThat(version.ask(TlsConnection.showing(known.pair()), gateway.https()))
                .isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void aSessionOfOneAuthorityOpensNoPortOfAnother(Version version) throws Exception {
        gateway.serveOneHost();
        gateway.askClients(known.authority(), stranger.authority());
        gateway.apply();
        pod.start();
        pod.awaitReady();
        SSLContext client = TlsConnection.showing(stranger.pair());
        assertThat(version.ask(client, gateway.alt())).isEqualTo(200);
        assertThatThrownBy(() -> version.ask(client, gateway.https())).isInstanceOf(IOException.class);
        assertThat(version.ask(TlsConnection.showing(known.pair()), gateway.https()))
                .isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void aSessionFromBeforeAPortAskedDoesNotOpenIt(Version version) throws Exception {
        gateway.apply();
        pod.start();
        pod.awaitReady();
        SSLContext client = TlsConnection.believing();
        assertThat(version.ask(client, gateway.https())).isEqualTo(200);
        gateway.askClients(known.authority(), "AllowValidOnly");
        gateway.apply();
        // New clients each time: none has a session.
        eventually("clients are asked", () -> !isLetIn(stranger));
        assertThatThrownBy(() -> version.ask(client, gateway.https())).isInstanceOf(IOException.class);
        assertThat(version.ask(TlsConnection.showing(known.pair()), gateway.https()))
                .isEqualTo(200);
    }

    // Two processes fit, with the least connections: one leaves, and a third change waits for it.
    @Test
    void aRevokedAuthorityIsNotTrustedThoughNoOtherProcessFits() throws Exception {
        gateway.choose(keptFor(300));
        serve("AllowValidOnly");
        try (TlsConnection first = held()) {
            gateway.choose(keptFor(299));
            gateway.apply();
            eventually("a second process", () -> starts(2));
            try (TlsConnection second = held()) {
                gateway.choose(keptFor(298));
                gateway.apply();
                eventually("the budget is full", () -> pod.state().contains("waits until connections of 1 earlier"));
                gateway.askClients(stranger.authority(), "AllowValidOnly");
                gateway.apply();
                eventually("the other authority is in use", () -> isLetIn(stranger));
                eventually("and the one before is not", () -> !isLetIn(known));
                eventually("a third process is counted", () -> starts(3));
                // Those that it let in are gone, though they were idle.
                eventually("those that leave are gone", () -> pod.haproxies().size() == 1);
                assertThatThrownBy(() -> first.get(HOST, "/")).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> second.get(HOST, "/")).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void nobodyGivesWayToARevocationThatHaproxyRefuses() throws Exception {
        gateway.choose(keptFor(300));
        serve("AllowValidOnly");
        try (TlsConnection first = held()) {
            gateway.choose(keptFor(299));
            gateway.apply();
            eventually("a second process", () -> starts(2));
            try (TlsConnection second = held()) {
                gateway.askClients(stranger.authority(), "AllowValidOnly");
                gateway.apply("nonsense\n");
                eventually("HAProxy's words", () -> pod.state().contains("unknown keyword 'nonsense'"));
                assertThat(pod.haproxies()).hasSize(2);
                assertThat(second.get(HOST, "/").status()).isEqualTo(200);
                assertThat(first.get(HOST, "/").status()).isEqualTo(200);
                eventually(
                        "it is counted",
                        () -> pod.own("/metrics").body().contains("chaperone_edge_reload_errors_total 1"));
                assertThat(starts(2)).isTrue();
                gateway.apply();
                eventually("the other authority is in use", () -> isLetIn(stranger));
                eventually("and the one before is not", () -> !isLetIn(known));
            }
        }
    }

    /** What a client speaks. */
    enum Version {
        TLS_1_2 {
            @Override
            TlsConnection connect(SSLContext client, int port) throws IOException {
                return TlsConnection.of12(client, port, HOST);
            }
        },
        TLS_1_3 {
            @Override
            TlsConnection connect(SSLContext client, int port) throws IOException {
                return TlsConnection.to(client, port, HOST);
            }
        };

        abstract TlsConnection connect(SSLContext client, int port) throws IOException;

        int ask(SSLContext client, int port) throws IOException {
            try (TlsConnection connection = connect(client, port)) {
                return connection.get(HOST, "/").status();
            }
        }
    }

    private TlsConnection held() throws Exception {
        TlsConnection connection = TlsConnection.to(TlsConnection.showing(known.pair()), gateway.https(), HOST);
        assertThat(connection.get(HOST, "/").kept()).isTrue();
        return connection;
    }

    private boolean isLetIn(TestCertificates.Signed client) throws Exception {
        try {
            return ask(TlsConnection.showing(client.pair()), gateway.https()) == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean starts(int count) throws IOException {
        return pod.own("/metrics").body().contains("chaperone_haproxy_starts_total " + count);
    }

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
