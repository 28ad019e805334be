package dev.shellac.translate.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.translate.TestPem;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Keys of authorities of clients; those of certificates are in {@link KeyPairTest}. */
final class KeyBoundsTest {
    @Test
    void anAuthorityMayBeLargerThanACertificate() throws Exception {
        assertThat(fault("rsa8192.crt")).isEmpty();
        assertThat(fault("ec.crt")).isEmpty();
    }

    @Test
    void anAuthorityThatIsTooLargeIsSaid() throws Exception {
        assertThat(fault("authority9216.crt")).contains("an RSA key of 9216 bits, at most 8192 are taken");
    }

    private static Optional<String> fault(String name) throws Exception {
        return KeyBounds.authorityFault(
                Pem.certificates(Pem.blocks(TestPem.read("ec.crt") + TestPem.read(name), "CERTIFICATE")));
    }
}
