package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Protocols;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients may speak. */
final class TlsVersionsTest {
    private static final HexFormat HEX = HexFormat.of();

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

    private void serve(HaproxyConfig.Options options) throws Exception {
        gateway.choose(options);
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    @Test
    void tls12IsTheOldestThatIsSpoken() throws Exception {
        serve(HaproxyConfig.Options.USUAL);
        try (TlsConnection connection = TlsConnection.of12(gateway.https(), "a.example.com", "h2", "http/1.1")) {
            assertThat(connection.protocol()).isEqualTo("h2 TLSv1.2");
        }
        try (TlsConnection connection = TlsConnection.of12(gateway.https(), "a.example.com")) {
            assertThat(connection.get("a.example.com", "/").status()).isEqualTo(200);
        }
        // The first bytes: a handshake goes on, or an alert (15) that is fatal (02) over the version (46).
        assertThat(answer("0303")).startsWith("16");
        for (String old : new String[] {"0302", "0301"}) {
            assertThat(answer(old)).as(old).startsWith("15").endsWith("0246");
        }
    }

    @Test
    void http2CanBeTurnedOff() throws Exception {
        serve(HaproxyConfig.Options.USUAL.with(Protocols.HTTP_1));
        try (TlsConnection connection = TlsConnection.to(gateway.https(), "a.example.com", "h2", "http/1.1")) {
            assertThat(connection.protocol()).isEqualTo("http/1.1 TLSv1.3");
            assertThat(connection.get("a.example.com", "/").status()).isEqualTo(200);
        }
    }

    // A hello as of old, by hand: Java speaks nothing that is older than 1.2.
    private String answer(String version) throws IOException {
        try (Socket socket = KeptConnection.socket(gateway.https())) {
            String name = HEX.formatHex("a.example.com".getBytes(US_ASCII));
            String hello = version
                    + "00".repeat(32)
                    + "00" // no session
                    + sized(2, "c02bc02fc009c013") // ECDHE with AES, of 1.2 and of before
                    + "0100" // no compression
                    + sized(
                            2,
                            "0000" + sized(2, sized(2, "00" + sized(2, name)))
                                    + "000a" + sized(2, sized(2, "001d0017"))
                                    + "000b" + sized(2, "0100")
                                    + "000d" + sized(2, sized(2, "040308040401020302010201")));
            socket.getOutputStream().write(HEX.parseHex("160301" + sized(2, "01" + sized(3, hello))));

            return HEX.formatHex(socket.getInputStream().readNBytes(7));
        }
    }

    /** Hexadecimal digits after their number, in so many bytes. */
    private static String sized(int bytes, String digits) {
        return HEX.toHexDigits(digits.length() / 2, 2 * bytes) + digits;
    }
}
