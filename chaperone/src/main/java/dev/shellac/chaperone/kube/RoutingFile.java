package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The bytes of a routing.json and of changes of it, and the hash that they are known by. */
public final class RoutingFile {
    private final byte[] bytes;
    private final Version version;

    /**
     * Which one it is, without the bytes.
     *
     * @param whole {@code sha256:} and the digest of the whole file
     */
    public record Version(String whole, Optional<String> changes) {
        /** {@code sha256:} and the digest of the file; where it has changes, that of the file's hash, a line break and the changes. Computed each time. */
        public String hash() {
            return changes.map(text -> "sha256:" + sha256((whole + "\n" + text).getBytes(UTF_8)))
                    .orElse(whole);
        }
    }

    public RoutingFile(byte[] bytes) {
        this(bytes.clone(), new Version("sha256:" + sha256(bytes), Optional.empty()));
    }

    private RoutingFile(byte[] bytes, Version version) {
        this.bytes = bytes;
        this.version = version;
    }

    /** The same file with these changes; itself where there are none. */
    public RoutingFile with(String text) {
        return text.isBlank() ? this : new RoutingFile(bytes, new Version(version.whole(), Optional.of(text)));
    }

    /** The whole file, without the changes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    public Version version() {
        return version;
    }

    /** {@code sha256:} and the digest of the whole file. */
    public String wholeHash() {
        return version.whole();
    }

    public Optional<String> changes() {
        return version.changes();
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
