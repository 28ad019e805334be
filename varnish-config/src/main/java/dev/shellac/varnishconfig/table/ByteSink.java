package dev.shellac.varnishconfig.table;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes, one after the other. */
final class ByteSink {
    private static final int SMALL = 1024;

    private byte[] bytes = new byte[SMALL];
    private int length;

    ByteSink add(byte[] more) {
        int needed = Math.addExact(length, more.length);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, Math.multiplyExact(bytes.length, 2)));
        }
        System.arraycopy(more, 0, bytes, length, more.length);
        length = needed;
        return this;
    }

    ByteSink add(String text) {
        return add(text.getBytes(StandardCharsets.UTF_8));
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes, length);
    }
}
