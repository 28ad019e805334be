package dev.shellac.varnishconfig.wire;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256. */
public final class Digest {
    public static final int BYTES = 32;

    private Digest() {}

    /** In hexadecimal. */
    public static String of(byte[] bytes) {
        return HexFormat.of().formatHex(bytes(bytes));
    }

    /** Of the parts, one after the other. */
    public static byte[] bytes(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
