package dev.shellac.translate.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PemTest {
    private static String block(String label, byte... der) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + label
                + "-----\n";
    }

    private static byte[] sequence(int... header) {
        var der = new byte[300];
        for (int i = 0; i < header.length; i++) {
            der[i] = (byte) header[i];
        }
        return der;
    }

    @Test
    void oneSequenceOfTheRightLength() {
        assertThat(Pem.fault(block("CERTIFICATE", (byte) 0x30, (byte) 0), "CERTIFICATE"))
                .isEmpty();
        assertThat(Pem.fault(block("CERTIFICATE", sequence(0x30, 0x82, 1, 40)), "CERTIFICATE"))
                .isEmpty();
        assertThat(Pem.fault(block("RSA PRIVATE KEY", (byte) 0x30, (byte) 0), "PRIVATE KEY"))
                .isEmpty();
    }

    @Test
    void allBlocksMustBeGoodAndOthersAreSkipped() {
        String good = block("CERTIFICATE", (byte) 0x30, (byte) 0);
        assertThat(Pem.fault("text\n" + good + block("X509 CRL", (byte) 1) + good, "CERTIFICATE"))
                .isEmpty();
        assertThat(Pem.fault(good + block("CERTIFICATE", (byte) 1), "CERTIFICATE"))
                .isPresent();
    }

    @Test
    void damaged() {
        for (byte[] der : new byte[][] {
            {0x30},
            {0x31, 0},
            {0x30, 1},
            {0x30, (byte) 0x80},
            {0x30, (byte) 0x85, 0, 0, 0, 0, 0},
            {0x30, (byte) 0x82, 1},
            sequence(0x30, 0x82, 1, 41),
            sequence(0x30, 0x82, 1, 39)
        }) {
            assertThat(Pem.fault(block("CERTIFICATE", der), "CERTIFICATE").orElse(""))
                    .contains("damaged");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "hello", "-----BEGIN CERTIFICATE-----\nMAA=\n", "-----BEGIN A-----\nMAA=\n-----END B-----"})
    void noBlock(String text) {
        assertThat(Pem.fault(text, "CERTIFICATE")).contains("no PEM block CERTIFICATE");
    }
}
