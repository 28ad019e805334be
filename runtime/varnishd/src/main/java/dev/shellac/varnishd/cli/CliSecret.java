package dev.shellac.varnishd.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** What both ends know, and never say. */
public final class CliSecret {
    private static final int BYTES = 32;

    private final byte[] bytes;

    private CliSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A new one. Give it a source that nobody can guess. */
    public static CliSecret draw(RandomGenerator random) {
        byte[] drawn = new byte[BYTES];
        random.nextBytes(drawn);
        return new CliSecret((HexFormat.of().formatHex(drawn) + "\n").getBytes(US_ASCII));
    }

    /** Writes it where varnishd can read it and nobody else. */
    public void write(Path file) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, bytes);
    }

    /** The proof that we know it: the digest of the challenge, the secret, and the challenge again. */
    String answer(String challenge) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((challenge + "\n").getBytes(US_ASCII));
            digest.update(bytes);
            digest.update((challenge + "\n").getBytes(US_ASCII));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "CliSecret(" + bytes.length + " bytes)";
    }
}
