package dev.shellac.varnishconfig.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A part of a file, ready to be written. It never changes, so files that have it in common share it. */
public final class Chunk {
    private final byte[] bytes;

    private Chunk(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Chunk of(String text) {
        return new Chunk(text.getBytes(UTF_8));
    }

    public int length() {
        return bytes.length;
    }

    public void copyTo(ByteBuffer target) {
        target.put(bytes);
    }

    /** SHA-256 of the prefix and this. */
    public byte[] digest(byte[] prefix) {
        return Digest.bytes(prefix, bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Chunk chunk && Arrays.equals(bytes, chunk.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return new String(bytes, UTF_8);
    }
}
