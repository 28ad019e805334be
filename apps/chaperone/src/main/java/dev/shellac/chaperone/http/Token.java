package dev.shellac.chaperone.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** What the operator proves itself with. Cannot be printed. An empty one lets nobody in. */
public final class Token {
    private final byte[] bytes;

    public Token(String text) {
        this.bytes = text.getBytes(UTF_8);
    }

    /** Compared in a time that says nothing about the token. */
    boolean isSaidBy(@Nullable String header) {
        return bytes.length > 0 && header != null && MessageDigest.isEqual(bytes, header.getBytes(UTF_8));
    }

    @Override
    public String toString() {
        return "Token(" + bytes.length + " bytes)";
    }
}
