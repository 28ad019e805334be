package dev.shellac.varnishconfig.table;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The text of ghost.json, and the hash that it bears. */
public final class GhostTable {
    private final byte[] bytes;
    private final String hash;

    GhostTable(byte[] bytes, String hash) {
        this.bytes = bytes;
        this.hash = hash;
    }

    /** A copy: what was hashed stays as it is. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** What ghost repeats once this table is live; equal for equal content alone. */
    public String hash() {
        return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GhostTable table && Arrays.equals(bytes, table.bytes);
    }

    @Override
    public int hashCode() {
        return hash.hashCode();
    }

    @Override
    public String toString() {
        return "ghost.json " + hash;
    }
}
