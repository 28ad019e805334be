package dev.shellac.model;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Bytes that no log line, exception or debugger view may show. */
public final class Secret {
    private final byte[] bytes;

    private Secret(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Secret of(byte[] bytes) {
        return new Secret(bytes.clone());
    }

    /** Hands a copy of the bytes to {@code use}; what comes back is no longer protected by this type. */
    public <R> R reveal(Function<byte[], R> use) {
        return use.apply(bytes.clone());
    }

    /** How many bytes there are. */
    public int length() {
        return bytes.length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret secret && MessageDigest.isEqual(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Secret(" + bytes.length + " bytes)";
    }
}
