package dev.shellac.chaperone.kube;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** Unpacks no more than it was told to: a few bytes can be made to become any number. */
final class Gzip {
    private static final int PIECE = 1 << 16;

    /** Takes what is unpacked, piece by piece; the array is the same each time. */
    interface Taker {
        void take(byte[] bytes, int length);
    }

    private Gzip() {}

    /**
     * How many bytes there are.
     *
     * @throws IOException if there are more than {@code most}, or it is not what it should be
     */
    static int unpack(byte[] compressed, int most, Taker taker) throws IOException {
        int length = 0;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed), PIECE)) {
            byte[] piece = new byte[PIECE];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                length += read;
                if (length > most) {
                    throw new IOException("it has more than " + most
                            + " bytes when it is not compressed, and this pod has no memory for more");
                }
                taker.take(piece, read);
            }
        }
        return length;
    }
}
