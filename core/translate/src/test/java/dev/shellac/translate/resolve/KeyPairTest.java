package dev.shellac.translate.resolve;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.Secret;
import dev.shellac.model.core.SecretObject;
import dev.shellac.translate.TestPem;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KeyPairTest {
    private static KeyPair of(String certificate, String key) {
        return KeyPair.of(new SecretObject(
                Metadata.named("shop", "cert"),
                "kubernetes.io/tls",
                Map.of(
                        "tls.crt", Secret.of(certificate.getBytes(US_ASCII)),
                        "tls.key", Secret.of(key.getBytes(US_ASCII)))));
    }

    private static String why(String certificate, String key) {
        return of(certificate, key) instanceof KeyPair.Bad bad ? bad.why() : "nothing";
    }

    @ParameterizedTest
    @ValueSource(strings = {"ec", "rsa", "ed25519"})
    void aKeyFitsItsCertificate(String kind) {
        assertThat(of(TestPem.read(kind + ".crt"), TestPem.read(kind + ".key"))).isInstanceOf(KeyPair.Good.class);
    }

    @ParameterizedTest
    @CsvSource({"ec,EC PRIVATE KEY,29", "rsa,RSA PRIVATE KEY,26"})
    void aBareKeyFitsItsCertificate(String kind, String label, int wrapping) {
        // PKCS #8 is a header around it.
        byte[] der = Pem.blocks(TestPem.read(kind + ".key"), "PRIVATE KEY")
                .getFirst()
                .der();
        String bare = "-----BEGIN " + label + "-----\n"
                + Base64.getMimeEncoder().encodeToString(Arrays.copyOfRange(der, wrapping, der.length)) + "\n-----END "
                + label + "-----\n";
        assertThat(of(TestPem.read(kind + ".crt"), bare)).isInstanceOf(KeyPair.Good.class);
    }

    @ParameterizedTest
    @CsvSource({"ec,rsa", "rsa,ec", "rsa,weak", "ed25519,ec", "ec,ed25519"})
    void theKeyOfAnotherCertificateDoesNot(String certificate, String key) {
        assertThat(why(TestPem.read(certificate + ".crt"), TestPem.read(key + ".key")))
                .isEqualTo("a key in tls.key that is not that of the certificate in tls.crt");
    }

    /** Found by CertificateFuzzTest: Java throws an exception that it does not declare. */
    @Test
    void aKeyWithoutAByteIsRefused() {
        byte[] empty = HexFormat.of().parseHex("300e020100300506032b657004020400");
        String key = "-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(empty)
                + "\n-----END PRIVATE KEY-----\n";
        assertThat(why(TestPem.read("ed25519.crt"), key))
                .isEqualTo("a key in tls.key that is not that of the certificate in tls.crt");
    }

    /** One chain of 900 KB must not fill what all listeners of a Gateway share. */
    @Test
    void aChainThatIsTooLargeIsSaid() {
        String one = TestPem.read("ec.crt");
        String key = TestPem.read("ec.key");
        assertThat(of(one.repeat(KeyPair.MOST_BYTES / one.length() - 1), key)).isInstanceOf(KeyPair.Good.class);
        assertThat(why(one.repeat(KeyPair.MOST_BYTES / one.length() + 1), key))
                .endsWith("bytes in tls.crt and tls.key, at most 65536 are taken: leave out certificates that are not"
                        + " part of the chain");
    }

    @Test
    void aKeyThatIsTooShortIsSaid() {
        assertThat(why(TestPem.read("weak.crt"), TestPem.read("weak.key")))
                .isEqualTo("a key of 1024 bits, at least 2048 are needed");
    }

    /** One signature with a large key takes HAProxy's event loop tenths of a second, for all listeners. */
    @Test
    void aKeyThatIsTooLongIsSaid() {
        assertThat(why(TestPem.read("rsa8192.crt"), TestPem.read("rsa8192.key")))
                .isEqualTo("an RSA key of 8192 bits, at most 4096 are taken");
        assertThat(of(TestPem.read("rsa4096.crt"), TestPem.read("rsa4096.key"))).isInstanceOf(KeyPair.Good.class);
    }

    @Test
    void aKeyOfTheChainThatIsTooLongIsSaid() {
        assertThat(why(TestPem.read("ec.crt") + TestPem.read("rsa8192.crt"), TestPem.read("ec.key")))
                .isEqualTo("an RSA key of 8192 bits, at most 4096 are taken");
    }

    @ParameterizedTest
    @ValueSource(strings = {"p384", "p521"})
    void curvesOfTheWebAreTaken(String kind) {
        assertThat(of(TestPem.read(kind + ".crt"), TestPem.read(kind + ".key"))).isInstanceOf(KeyPair.Good.class);
    }

    @ParameterizedTest
    @CsvSource({
        "ed448, a key of the kind Ed448: use RSA of 2048 to 4096 bits",
        "sm2, a certificate in tls.crt that cannot be read",
        "brainpool, a key of the kind ECDSA with brainpoolP256r1"
    })
    void otherKindsOfKeysAreSaid(String kind, String words) {
        assertThat(why(TestPem.read(kind + ".crt"), TestPem.read(kind + ".key")))
                .startsWith(words);
    }

    @Test
    void aKeyWithAPasswordIsSaid() {
        String key = TestPem.KEY.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        assertThat(why(TestPem.CERTIFICATE, key)).isEqualTo("a key in tls.key that needs a password");
    }

    @Test
    void aSequenceThatIsNoCertificateIsSaid() {
        String empty = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
        assertThat(why(empty, TestPem.KEY)).startsWith("a certificate in tls.crt that cannot be read");
        assertThat(why(TestPem.CERTIFICATE + empty, TestPem.KEY))
                .startsWith("a certificate in tls.crt that cannot be read");
    }

    // Among the names is a URI without a scheme.
    @Test
    void aNameThatJavaRefusesDoesNotHideTheOthers() {
        var pair = (KeyPair.Good) of(TestPem.read("odd-names.crt"), TestPem.read("odd-names.key"));
        assertThat(pair.names())
                .containsExactlyInAnyOrder(
                        Hostname.parse("*.wildcard.example.com").orElseThrow(),
                        Hostname.parse("shop.example.com").orElseThrow());
    }

    @Test
    void namesAreThoseOfTheFirstCertificateAndTheFirstEndCounts() {
        var alone = (KeyPair.Good) of(TestPem.read("rsa.crt"), TestPem.read("rsa.key"));
        var chain = (KeyPair.Good) of(TestPem.read("rsa.crt") + TestPem.CERTIFICATE, TestPem.read("rsa.key"));
        assertThat(alone.names()).containsExactly(new Hostname("rsa.example.com"));
        assertThat(chain.names()).isEqualTo(alone.names());
        var other = (KeyPair.Good) of(TestPem.CERTIFICATE, TestPem.KEY);
        assertThat(alone.notAfter()).isAfter(other.notAfter());
        assertThat(chain.notAfter()).isEqualTo(other.notAfter());
    }

    @Test
    void equalSecretsAreReadOnce() {
        assertThat(of(TestPem.CERTIFICATE, TestPem.KEY)).isSameAs(of(TestPem.CERTIFICATE, TestPem.KEY));
        assertThat(of(TestPem.CERTIFICATE, TestPem.read("rsa.key"))).isInstanceOf(KeyPair.Bad.class);
    }

    @Test
    void onlyTheChainAndTheKeyAreHandedOn() {
        var pair = (KeyPair.Good) of(
                "some words\n" + TestPem.CERTIFICATE
                        + "-----BEGIN DH PARAMETERS-----\nMAA=\n-----END DH PARAMETERS-----\n",
                "and more\n" + TestPem.KEY + TestPem.read("rsa.key"));
        assertThat(pair.pem().<String>reveal(bytes -> new String(bytes, US_ASCII)))
                .isEqualTo(TestPem.CERTIFICATE + TestPem.KEY);
        assertThat(pair.toString()).doesNotContain("BEGIN");
    }
}
