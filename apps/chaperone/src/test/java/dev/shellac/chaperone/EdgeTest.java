package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.testkit.tls.TestCertificates;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS from a client through HAProxy and varnishd to a backend. */
final class EdgeTest {
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
    void namesSelectCertificatesAndPortsSelectListeners() throws Exception {
        serve();
        try (TlsConnection a = TlsConnection.to(gateway.https(), "a.example.com", "http/1.1")) {
            assertThat(a.certificate()).isEqualTo("a");
            assertThat(a.protocol()).isEqualTo("http/1.1 TLSv1.3");
            assertThat(a.get("a.example.com", "/").body()).isEqualTo("https-443 127.0.0.1 https a.example.com 443");
            // What a client says of itself does not count.
            assertThat(a.get("a.example.com", "/", "X-Forwarded-For: 6.6.6.6", "X-Forwarded-Proto: http")
                            .body())
                    .isEqualTo("https-443 127.0.0.1 https a.example.com 443");
            // A connection is for the listener of its server name.
            assertThat(a.get("b.example.org", "/").status()).isEqualTo(421);
            assertThat(a.get("a.example.com", "https://a.example.com/").status())
                    .isEqualTo(200);
        }
        assertThat(shown("b.example.org")).isEqualTo("wild");
        assertThatThrownBy(() -> shown("b.example.net")).isInstanceOf(SSLException.class);
        try (TlsConnection any = TlsConnection.to(gateway.alt(), "b.example.net", "h2", "http/1.1")) {
            assertThat(any.certificate()).isEqualTo("any");
            assertThat(any.protocol()).isEqualTo("h2 TLSv1.3");
        }
        try (TlsConnection any = TlsConnection.to(gateway.alt(), "b.example.net")) {
            assertThat(any.get("b.example.net:8443", "/").body())
                    .isEqualTo("https-8443 127.0.0.1 https b.example.net:8443 8443");
        }
        assertThat(Pod.ask("http://127.0.0.1:" + pod.port() + "/", "").body())
                .startsWith("http-80 127.0.0.1 http 127.0.0.1:");
    }

    @Test
    void aCheckThatWasKilledSaysNothingOfTheConfiguration() throws Exception {
        pod.firstCheckIsKilled();
        serve();
        assertThat(folder.resolve("haproxy-was-killed")).exists();
        assertThat(shown("a.example.com")).isEqualTo("a");
        assertThat(pod.state()).doesNotContain("haproxy -c ended");
    }

    @Test
    void http2IsServedAlike() throws Exception {
        serve();
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(TlsConnection.believing())
                .version(HttpClient.Version.HTTP_2)
                .build()) {
            URI uri = URI.create("https://localhost:" + gateway.alt() + "/");
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> answer =
                        client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(answer.body()).isEqualTo("https-8443 127.0.0.1 https localhost:" + gateway.alt() + " 8443");
            }
        }
    }

    @Test
    void noConnectionToVarnishdIsSharedByClients() throws Exception {
        serve();
        // Requests of two clients in turn: each is told apart by what its own connection says.
        try (TlsConnection a = TlsConnection.to(gateway.https(), "a.example.com");
                TlsConnection b = TlsConnection.to(gateway.https(), "b.example.org");
                TlsConnection c = TlsConnection.to(gateway.alt(), "a.example.com")) {
            for (int i = 0; i < 20; i++) {
                assertThat(a.get("a.example.com", "/").body()).startsWith("https-443 ");
                assertThat(b.get("b.example.org", "/").body()).startsWith("https-443 ");
                assertThat(b.get("a.example.com", "/").status()).isEqualTo(421);
                assertThat(c.get("a.example.com", "/").body()).startsWith("https-8443 ");
            }
        }
    }

    @Test
    void aBadCertificateIsLeftOutAlone() throws Exception {
        gateway.damage("wild", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n");
        serve();
        assertThat(shown("a.example.com")).isEqualTo("a");
        assertThatThrownBy(() -> shown("b.example.org")).isInstanceOf(SSLException.class);
        assertThat(pod.state())
                .containsPattern("\"certificates\":\"sha256:[0-9a-f]{64}\"")
                .containsPattern("\"leftOut\":\\{\"shop.wild.pem\":\"unable to load [^\"]*'shop.wild.pem'");
        assertThat(pod.own("/metrics").body())
                .contains("chaperone_edge_reload_errors_total 1", "chaperone_edge_certificates 2");

        gateway.damage("any", "nothing at all");
        eventually("both are refused", () -> pod.state().contains("\"leftOut\":{\"shop.any.pem\":"));
        assertThat(pod.state()).contains("\"shop.wild.pem\":\"unable to load");
        // What was good before stays, in the process and on disk.
        try (TlsConnection any = TlsConnection.to(gateway.alt(), "localhost")) {
            assertThat(any.certificate()).isEqualTo("any");
        }
        assertThat(folder.resolve("edge/good/shop.any.pem")).content().contains("PRIVATE KEY");
        gateway.rotate("a", TestCertificates.of(folder, "again", "a.example.com"));
        eventually("others rotate", () -> shown("a.example.com").equals("again"));
        assertThat(pod.own("/metrics").body()).contains("chaperone_haproxy_starts_total 1");

        gateway.heal();
        eventually("all are there", () -> pod.state().contains("\"leftOut\":{}"));
        assertThat(shown("b.example.org")).isEqualTo("wild");
    }

    @Test
    void aRefusedConfigurationChangesNothing() throws Exception {
        serve();
        String good = gateway.haproxy();
        String hash = pod.state().replaceAll("(?s).*\"edge\":\\{\"wanted\":true,\"hash\":\"([^\"]+)\".*", "$1");
        gateway.configMap(good + "nonsense\n");
        eventually("HAProxy's words", () -> pod.state().contains("unknown keyword 'nonsense'"));
        assertThat(pod.state()).contains("\"hash\":\"" + hash + "\"").doesNotContain(folder + "/edge/");
        assertThat(pod.own("/metrics").body())
                .contains("chaperone_edge_reload_errors_total 1", "chaperone_edge_reloads_total 1");
        assertThat(shown("a.example.com")).isEqualTo("a");
        assertThat(pod.own("/ready").status()).isEqualTo(200);
        gateway.configMap(good);
        eventually("all is well", () -> !pod.state().contains("nonsense"));
    }

    @Test
    void aPortThatIsTakenIsTriedAgain() throws Exception {
        try (ServerSocket other = new ServerSocket(gateway.https())) {
            gateway.apply();
            pod.start();
            eventually("it fails", () -> pod.own("/metrics").body().contains("chaperone_edge_reload_errors_total 1"));
            assertThat(other.isBound()).isTrue();
            assertThat(pod.own("/ready").status()).isEqualTo(503);
        }
        pod.awaitReady();
        assertThat(shown("a.example.com")).isEqualTo("a");
    }

    @Test
    void aKilledHaproxyComesBackAtOnce() throws Exception {
        serve();
        pod.haproxies().forEach(ProcessHandle::destroyForcibly);
        long start = System.nanoTime();
        eventually("it is back", () -> {
            try {
                return shown("a.example.com").equals("a");
            } catch (IOException e) {
                return false;
            }
        });
        assertThat(System.nanoTime() - start).isLessThan(3_000_000_000L);
        pod.awaitReady();
    }

    @Test
    void aStartWithoutTheApiServesTheSame() throws Exception {
        serve();
        try (Stream<Path> files = Files.walk(folder.resolve("edge"))) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allMatch(file -> permissions(file).equals("rw-------"));
        }
        pod.api.stop();
        pod.stop();
        assertThat(pod.haproxies()).isEmpty();
        pod.start();
        pod.awaitReady();
        assertThat(shown("a.example.com")).isEqualTo("a");
        try (TlsConnection any = TlsConnection.to(gateway.alt(), "localhost")) {
            assertThat(any.get("localhost", "/").status()).isEqualTo(200);
        }
        assertThat(pod.state()).contains("\"hash\":\"sha256:");
    }

    private static String permissions(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void aNewPodIsReadyWhenItTerminatesTls() throws Exception {
        gateway.configMap(gateway.haproxy());
        pod.start();
        eventually("it waits", () -> pod.own("/ready").body().equals("no TLS is terminated\n"));
        eventually(
                "for certificates",
                () -> pod.state().contains("\"refused\":\"the Secret of certificates is not known yet\""));
        assertThat(pod.own("/ready").status()).isEqualTo(503);
        gateway.secret();
        pod.awaitReady();
        assertThat(shown("a.example.com")).isEqualTo("a");
    }

    @Test
    void haproxyRunsOnlyWhileAListenerHasTls() throws Exception {
        gateway.configMap("");
        pod.start();
        pod.awaitReady();
        assertThat(pod.haproxies()).isEmpty();
        // A listener that comes to a pod that serves takes nothing away from the others, whatever is wrong with it.
        gateway.configMap(gateway.haproxy());
        eventually(
                "it waits", () -> pod.state().contains("\"refused\":\"the Secret of certificates is not known yet\""));
        assertThat(pod.own("/ready").status()).isEqualTo(200);
        gateway.secret();
        eventually("it serves", () -> pod.state().contains("\"edge\":{\"wanted\":true,\"hash\":"));
        assertThat(shown("a.example.com")).isEqualTo("a");
        gateway.configMap("");
        eventually("it is gone", () -> pod.haproxies().isEmpty());
        assertThat(pod.own("/ready").status()).isEqualTo(200);
    }
}
