package dev.shellac.chaperone.kube;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The bytes of a routing.json, and the hash that they are known by. */
public final class RoutingFile {
    private final byte[] bytes;
    private final String hash;

    public RoutingFile(byte[] bytes) {
        this.bytes = bytes.clone();
        this.hash = "sha256:" + sha256(bytes);
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    /** {@code sha256:} and the digest of the bytes. */
    public String hash() {
        return hash;
    }

    /** In hexadecimal. */
    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
