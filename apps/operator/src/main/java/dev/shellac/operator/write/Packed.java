package dev.shellac.operator.write;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** Text that is kept for long and read seldom. */
final class Packed {
    // No object of the API is larger.
    private static final int MOST_BYTES = 4 << 20;

    private Packed() {}

    static byte[] pack(byte[] bytes) {
        var packed = new ByteArrayOutputStream();
        try (OutputStream out = new DeflaterOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail", e);
        }
        return packed.toByteArray();
    }

    static byte[] unpack(byte[] packed) throws IOException {
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(packed))) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("it is larger than any object");
            }
            return bytes;
        }
    }
}
