package dev.shellac.translate;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Certificates and keys that nobody uses but tests. */
public final class TestPem {
    public static final String CERTIFICATE = read("ec.crt");
    public static final String KEY = read("ec.key");

    private TestPem() {}

    /** One of {@code src/test/resources/pem}. */
    public static String read(String name) {
        try (InputStream in = Objects.requireNonNull(TestPem.class.getResourceAsStream("/pem/" + name), name)) {
            return new String(in.readAllBytes(), US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
