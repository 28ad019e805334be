package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A routing.json and changes of it, and the hash that they are known by. One that came compressed stays so, and is unpacked for who reads
 * it: with thousands of routes it is the largest thing that there is.
 */
public final class RoutingFile {
    // Nobody writes as much; a few bytes can be made to become any number.
    private static final int MOST_UNPACKED = 128 << 20;

    private final Packed whole;
    private final Version version;
    private final Rest rest;

    /** What a file is kept as. */
    private interface Packed {
        byte[] bytes();
    }

    /**
     * What was left out of a file that is too large.
     *
     * @param summary in words; empty where nothing was left out
     * @param hosts those that are known by name, which not all of many are
     */
    public record Rest(Optional<String> summary, List<LeftOutHost> hosts) {
        static final Rest NONE = new Rest(Optional.empty(), List.of());

        public Rest {
            hosts = List.copyOf(hosts);
        }
    }

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
        byte[] own = bytes.clone();
        this(own::clone, new Version("sha256:" + sha256(own), Optional.empty()), Rest.NONE);
    }

    private RoutingFile(Packed whole, Version version, Rest rest) {
        this.whole = whole;
        this.version = version;
        this.rest = rest;
    }

    /**
     * Of bytes by gzip.
     *
     * @param most bytes that it may have when it is unpacked; hosts that do not fit are left out, which its hash does not show
     * @throws IOException if it is too large without any host, or is not what it should be
     */
    static RoutingFile unzipped(byte[] compressed, int most) throws IOException {
        MessageDigest digest = digest();
        int length = Gzip.unpack(compressed, MOST_UNPACKED, (bytes, count) -> digest.update(bytes, 0, count));
        var version = new Version("sha256:" + HexFormat.of().formatHex(digest.digest()), Optional.empty());
        // Of a file that is too large less is taken than of one that just fits: what was served before stays in memory
        // beside it.
        return length <= most
                ? new RoutingFile(() -> unzip(compressed, length), version, Rest.NONE)
                : filtered(compressed, version, HostFilter.choose(compressed, most / 4 * 3, length), length);
    }

    private static RoutingFile filtered(byte[] compressed, Version version, HostFilter.Choice choice, int length) {
        String summary = choice.out().cardinality() + " of " + choice.hosts() + " hosts are left out: it has " + length
                + " bytes, and this pod has no memory for more than those of the others";
        Packed whole = () -> {
            try {
                return HostFilter.filtered(compressed, choice, length);
            } catch (IOException e) {
                throw new UncheckedIOException("it could be unpacked before", e);
            }
        };
        return new RoutingFile(whole, version, new Rest(Optional.of(summary), choice.named()));
    }

    private static byte[] unzip(byte[] compressed, int length) {
        try {
            var bytes = ByteBuffer.allocate(length);
            Gzip.unpack(compressed, length, (piece, count) -> bytes.put(piece, 0, count));
            return bytes.array();
        } catch (IOException e) {
            throw new UncheckedIOException("it could be unpacked before", e);
        }
    }

    /** The same file with these changes; itself where there are none. */
    public RoutingFile with(String text) {
        return text.isBlank() ? this : new RoutingFile(whole, new Version(version.whole(), Optional.of(text)), rest);
    }

    /** The whole file, without the changes. */
    public byte[] bytes() {
        return whole.bytes();
    }

    /** What this pod has no memory for. */
    public Rest rest() {
        return rest;
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
        return HexFormat.of().formatHex(digest().digest(bytes));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
