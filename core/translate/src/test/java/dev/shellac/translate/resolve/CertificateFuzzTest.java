package dev.shellac.translate.resolve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Metadata;
import dev.shellac.model.Secret;
import dev.shellac.model.core.SecretObject;
import dev.shellac.translate.TestPem;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Certificates and keys that were changed in a few places are refused or read, whatever they hold: anybody may put them into a Secret.
 * The same few thousand each time; {@code -Dfuzz.seconds=600} goes on for so long, from a seed that it prints.
 */
final class CertificateFuzzTest {
    private static final int INPUTS = 3_000;
    private static final Duration BUDGET = Duration.ofSeconds(Integer.getInteger("fuzz.seconds", 0));
    private static final long SEED = Long.getLong("fuzz.seed", BUDGET.isZero() ? 20261118 : System.currentTimeMillis());
    private static final List<String> KINDS = List.of("ec", "rsa", "ed25519", "weak", "odd-names");
    private static final List<String> PIECES = List.of(
            "-----BEGIN CERTIFICATE-----\n",
            "-----END CERTIFICATE-----\n",
            "-----BEGIN EC PRIVATE KEY-----",
            "-----END RSA PRIVATE KEY-----",
            "-----",
            "\r\n",
            "=",
            "A",
            "\0",
            "é");

    private final Random random = new Random(SEED);

    @Test
    @Timeout(value = 900, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anyCertificateIsReadOrRefused() {
        long end = System.nanoTime() + BUDGET.toNanos();
        int inputs = 0;
        int good = 0;
        while (inputs < INPUTS || System.nanoTime() < end) {
            String kind = KINDS.get(random.nextInt(KINDS.size()));
            String certificate = changed(TestPem.read(kind + ".crt"), "CERTIFICATE");
            String key =
                    random.nextBoolean() ? TestPem.read(kind + ".key") : changed(TestPem.read(kind + ".key"), "KEY");
            good += check(certificate, key, "seed " + SEED + ", input " + inputs) ? 1 : 0;
            inputs++;
        }
        System.out.println(
                "fuzz certificates: seed " + SEED + ", " + inputs + " inputs, " + good + " read, no finding");
        assertThat(good).as("some are still certificates").isPositive().isLessThan(inputs);
    }

    @Test
    void anyBytesHaveNamesOrNone() {
        byte[] names = new byte[64];
        for (int i = 0; i < 20 * INPUTS; i++) {
            random.nextBytes(names);
            // Lists of names begin so; else nothing of them would be looked at.
            byte[] head = {0x04, 62, 0x30, 60};
            System.arraycopy(head, 0, names, 0, random.nextInt(head.length + 1));
            for (int at = 4; at < names.length - 1; at += 2 + Math.floorMod(names[at + 1], 12)) {
                names[at] = (byte) 0x82;
                names[at + 1] = (byte) (random.nextInt(8) == 0 ? names[at + 1] : Math.floorMod(names[at + 1], 12));
            }
            byte[] cut = Arrays.copyOf(names, random.nextInt(names.length + 1));
            assertThat(Der.dnsNames(cut)).hasSizeLessThan(names.length);
            assertThat(Der.isSequence(cut)).isIn(true, false);
            assertThat(Der.wrapped(cut, names)).isNotEmpty();
        }
    }

    // Whether it was taken. What was taken is taken again as it is handed on.
    private static boolean check(String certificate, String key, String which) {
        long start = System.nanoTime();
        KeyPair read;
        try {
            read = KeyPair.read(secret(certificate, key));
        } catch (RuntimeException | Error e) {
            throw new AssertionError(which + ":\n" + certificate, e);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as(which).isLessThan(Duration.ofSeconds(5));
        if (!(read instanceof KeyPair.Good good)) {
            assertThat(((KeyPair.Bad) read).why()).as(which).isNotBlank();
            return false;
        }
        String pem = good.pem().reveal(bytes -> new String(bytes, US_ASCII));
        assertThat(KeyPair.read(secret(pem, pem))).as(which).isEqualTo(good);
        return true;
    }

    private static SecretObject secret(String certificate, String key) {
        return new SecretObject(
                Metadata.named("shop", "cert"),
                "kubernetes.io/tls",
                Map.of(
                        KeyPair.CERTIFICATE, Secret.of(certificate.getBytes(ISO_8859_1)),
                        KeyPair.KEY, Secret.of(key.getBytes(ISO_8859_1))));
    }

    // Within the DER in most cases: changed text is hardly ever base64 of anything.
    private String changed(String pem, String label) {
        if (random.nextInt(4) == 0) {
            return changedText(pem);
        }
        Pem.Block block = Pem.blocks(pem, label).getFirst();
        byte[] der = block.der();
        for (int change = random.nextInt(4); change >= 0; change--) {
            der = changedBytes(der);
        }
        return "-----BEGIN " + block.label() + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + block.label()
                + "-----\n";
    }

    private byte[] changedBytes(byte[] der) {
        if (der.length < 8) {
            return der;
        }
        int at = random.nextInt(der.length);
        switch (random.nextInt(5)) {
            case 0 -> der[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> der[at] = (byte) random.nextInt(256);
            case 2 ->
                der[at] = (byte) List.of(0, 0x7f, 0x80, 0x82, 0x84, 0xff)
                        .get(random.nextInt(6))
                        .intValue();
            case 3 -> {
                int length = Math.min(der.length - at, 1 + random.nextInt(16));
                System.arraycopy(der, random.nextInt(der.length - length + 1), der, at, length);
            }
            default -> {
                return Arrays.copyOf(der, at);
            }
        }
        return der;
    }

    private String changedText(String pem) {
        var text = new StringBuilder(pem);
        for (int change = random.nextInt(3); change >= 0; change--) {
            int at = random.nextInt(text.length() + 1);
            int end = Math.min(text.length(), at + random.nextInt(40));
            switch (random.nextInt(3)) {
                case 0 -> text.delete(at, end);
                case 1 -> text.insert(at, text.substring(at, end));
                default -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
            }
        }
        return text.toString();
    }
}
