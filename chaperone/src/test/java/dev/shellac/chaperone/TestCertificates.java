package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Collectors;

/** Certificates that sign themselves, made for a test by the tool that every JDK has. */
final class TestCertificates {
    private static final String PASSWORD = "password";

    private TestCertificates() {}

    /** A pair in PEM. */
    record Pair(String certificate, String key) {}

    /**
     * One pair for some names.
     *
     * @param label its subject, to tell it from others of the same names
     */
    static Pair of(Path folder, String label, String... names) throws IOException, InterruptedException {
        Path file = folder.resolve(label + ".p12");
        Files.deleteIfExists(file);
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + label,
                        "-ext",
                        "SAN=" + Arrays.stream(names).map(name -> "dns:" + name).collect(Collectors.joining(",")),
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String words = new String(tool.getInputStream().readAllBytes(), UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(words);
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            return new Pair(
                    pem("CERTIFICATE", store.getCertificate("it").getEncoded()),
                    pem(
                            "PRIVATE KEY",
                            store.getKey("it", PASSWORD.toCharArray()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n"
                + new String(Base64.getMimeEncoder(64, new byte[] {'\n'}).encode(der), US_ASCII) + "\n-----END " + label
                + "-----\n";
    }
}
