package dev.shellac.model;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Bytes that no log line, exception or debugger view may show. */
public final class Secret {
    private final byte[] bytes;
    private final int length;

    private Secret(byte[] bytes, int length) {
        this.bytes = bytes;
        this.length = length;
    }

    public static Secret of(byte[] bytes) {
        return new Secret(bytes.clone(), bytes.length);
    }

    /** One that is too large to be kept: it reveals nothing, and only its length is known. */
    public static Secret ofLength(int length) {
        return new Secret(new byte[0], length);
    }

    /** Hands a copy of the bytes to {@code use}; what comes back is no longer protected by this type. */
    public <R> R reveal(Function<byte[], R> use) {
        return use.apply(bytes.clone());
    }

    /** How many bytes there are, or were in one that is too large to be kept. */
    public int length() {
        return length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret secret && length == secret.length && MessageDigest.isEqual(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Secret(" + length + " bytes)";
    }
}
