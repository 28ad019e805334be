package dev.shellac.chaperone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Peers;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behind a load balancer that says in a PROXY header who the client is, on ports that may be others than the listeners'. */
final class ProxyProtocolTest {
    private static final String CLIENT = "203.0.113.7";

    /** Of the balancer; no listener has it. */
    private static final int ANOTHER_PORT = 9999;

    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;

    @BeforeEach
    void serve() throws Exception {
        pod = Pod.in(folder);
        pod.takesProxyHeaders();
        gateway = new TlsGateway(pod);
        gateway.choose(HaproxyConfig.Options.USUAL.with(Peers.PROXY_PROTOCOL));
        gateway.trust("10.0.0.0/8", "fd00::/8");
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    // What the backend saw: listener, client, scheme, host, port.
    private String withTls(byte[] header, int port, String host, String... headers) throws IOException {
        try (TlsConnection connection =
                TlsConnection.over(ProxyHeader.said(header, port), TlsConnection.believing(), host)) {
            return connection.get(host, "/", headers).body();
        }
    }

    private String plain(byte[] header, String... headers) throws IOException {
        try (var connection = new KeptConnection(ProxyHeader.said(header, pod.port()))) {
            return connection.get("c.example.com", "/", headers).body();
        }
    }

    @Test
    void theClientIsWhomTheHeaderNamesAndTheListenerWhoseSocketItIs() throws Exception {
        String served = "https-443 " + CLIENT + " https a.example.com 443";
        assertThat(withTls(ProxyHeader.line(CLIENT, ANOTHER_PORT), gateway.https(), "a.example.com"))
                .isEqualTo(served);
        assertThat(withTls(ProxyHeader.bytes(CLIENT, ANOTHER_PORT), gateway.https(), "a.example.com"))
                .isEqualTo(served);
        // The port of another listener of this Gateway.
        assertThat(withTls(ProxyHeader.bytes(CLIENT, 8443), gateway.https(), "a.example.com"))
                .isEqualTo(served);
        assertThat(withTls(ProxyHeader.line("2001:db8::7", 443), gateway.alt(), "any.example.net"))
                .isEqualTo("https-8443 2001:db8::7 https any.example.net 8443");
        assertThat(withTls(ProxyHeader.ofItself(), gateway.https(), "a.example.com"))
                .isEqualTo("https-443 127.0.0.1 https a.example.com 443");
    }

    @Test
    void withoutTlsItIsTheSame() throws Exception {
        String served = "http-80 " + CLIENT + " http c.example.com 80";
        assertThat(plain(ProxyHeader.line(CLIENT, ANOTHER_PORT))).isEqualTo(served);
        assertThat(plain(ProxyHeader.bytes(CLIENT, 443))).isEqualTo(served);
        assertThat(plain(ProxyHeader.line("2001:db8::7", 80))).isEqualTo("http-80 2001:db8::7 http c.example.com 80");
        assertThat(plain(ProxyHeader.ofItself())).isEqualTo("http-80 127.0.0.1 http c.example.com 80");
    }

    @Test
    void whatTrustedProxiesSayOfClientsStaysAndWhatOthersSayIsReplaced() throws Exception {
        String[] said = {"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: gopher", "X-Forwarded-Host: shop.example.com"
        };
        assertThat(plain(ProxyHeader.line("10.1.2.3", ANOTHER_PORT), said))
                .isEqualTo("http-80 192.0.2.1, 10.1.2.3 gopher shop.example.com 80");
        assertThat(plain(ProxyHeader.line("fd00::7", ANOTHER_PORT), said))
                .isEqualTo("http-80 192.0.2.1, fd00::7 gopher shop.example.com 80");
        assertThat(plain(ProxyHeader.line(CLIENT, ANOTHER_PORT), said))
                .isEqualTo("http-80 " + CLIENT + " http c.example.com 80");
        assertThat(withTls(ProxyHeader.bytes("10.1.2.3", ANOTHER_PORT), gateway.https(), "a.example.com", said))
                .isEqualTo("https-443 192.0.2.1, 10.1.2.3 gopher shop.example.com 443");
        assertThat(withTls(ProxyHeader.bytes("11.1.2.3", ANOTHER_PORT), gateway.https(), "a.example.com", said))
                .isEqualTo("https-443 11.1.2.3 https a.example.com 443");
    }

    @Test
    void whoSaysNoHeaderIsNotServed() {
        assertThatThrownBy(() -> withTls(new byte[0], gateway.https(), "a.example.com"))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> plain(new byte[0])).isInstanceOf(IOException.class);
    }
}
