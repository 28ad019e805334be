package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The bytes of a routing.json and of changes of it, and the hash that they are known by. */
public final class RoutingFile {
    private final byte[] bytes;
    private final String wholeHash;
    private final Optional<String> changes;
    private final String hash;

    public RoutingFile(byte[] bytes) {
        this.bytes = bytes.clone();
        this.wholeHash = "sha256:" + sha256(bytes);
        this.changes = Optional.empty();
        this.hash = wholeHash;
    }

    private RoutingFile(RoutingFile file, String changes) {
        this.bytes = file.bytes;
        this.wholeHash = file.wholeHash;
        this.changes = Optional.of(changes);
        this.hash = "sha256:" + sha256((wholeHash + "\n" + changes).getBytes(UTF_8));
    }

    /** The same file with these changes; itself where there are none. */
    public RoutingFile with(String text) {
        return text.isBlank() ? this : new RoutingFile(this, text);
    }

    /** The whole file, without the changes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** {@code sha256:} and the digest of the whole file. */
    public String wholeHash() {
        return wholeHash;
    }

    public Optional<String> changes() {
        return changes;
    }

    /** {@code sha256:} and the digest of the file; where it has changes, that of the file's hash, a line break and the changes. */
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
