package dev.shellac.testkit.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** Certificates made by the tool that every JDK has, in files of a folder. */
public final class TestCertificates {
    private static final String PASSWORD = "password";
    private static final String IT = "it";
    private static final String AUTHORITY = "authority";
    private static final int SOME_DAYS = 90;

    private TestCertificates() {}

    /** A pair in PEM. */
    public record Pair(String certificate, String key) {}

    /** A certificate and who signed it. */
    public record Signed(Pair authority, Pair pair) {}

    /**
     * One that signs itself, for some names.
     *
     * @param label its subject, to tell it from others of the same names
     */
    public static Pair of(Path folder, String label, String... names) throws IOException, InterruptedException {
        return of(folder, label, SOME_DAYS, names);
    }

    /** The same, valid for some days; none of them and it has expired. */
    public static Pair of(Path folder, String label, int days, String... names)
            throws IOException, InterruptedException {
        Path file = file(folder, label);
        String sans = Arrays.stream(names).map(name -> "dns:" + name).collect(Collectors.joining(","));
        generate(file, IT, label, List.of("-ext", "SAN=" + sans, "-startdate", "-1d", "-validity", "" + (days + 1)));
        return read(file, IT);
    }

    /** One that an authority of its own has signed. */
    public static Signed signed(Path folder, String label) throws IOException, InterruptedException {
        Path file = file(folder, label);
        generate(file, AUTHORITY, label + " authority", List.of("-ext", "bc:c"));
        generate(file, IT, label, List.of("-signer", AUTHORITY));
        return new Signed(read(file, AUTHORITY), read(file, IT));
    }

    private static Path file(Path folder, String label) throws IOException {
        Path file = folder.resolve(label + ".p12");
        Files.deleteIfExists(file);
        return file;
    }

    private static void generate(Path file, String alias, String subject, List<String> more)
            throws IOException, InterruptedException {
        Path program = Path.of(System.getProperty("java.home"), "bin", "keytool");
        var command = new ArrayList<String>(List.of(program.toString(), "-genkeypair", "-alias", alias));
        command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + subject));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD));
        command.addAll(more);
        Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(tool.getInputStream().readAllBytes(), UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(words);
        }
    }

    private static Pair read(Path file, String alias) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            return new Pair(
                    pem("CERTIFICATE", store.getCertificate(alias).getEncoded()),
                    pem(
                            "PRIVATE KEY",
                            store.getKey(alias, PASSWORD.toCharArray()).getEncoded()));
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
