package dev.shellac.varnishconfig.table;

import dev.shellac.varnishconfig.wire.Digest;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;

/**
 * A hash of a set of digests that can be kept up to date: equal for equal sets, whatever the way to them was. The digests lie in 256
 * drawers by their first byte, in order. A drawer's hash is SHA-256 of its content, and the hash of all is SHA-256 of
 * those: a Merkle tree of two levels. A sum of digests would be less work, but whoever controls thousands of members can
 * find two sets with one sum.
 */
final class TableHash {
    private static final int DRAWERS = 256;

    static final TableHash EMPTY = empty();

    private final byte[][] drawers;
    private final byte[][] hashes;

    private TableHash(byte[][] drawers, byte[][] hashes) {
        this.drawers = drawers;
        this.hashes = hashes;
    }

    private static TableHash empty() {
        var drawers = new byte[DRAWERS][0];
        var hashes = new byte[DRAWERS][];
        Arrays.fill(hashes, Digest.bytes());
        return new TableHash(drawers, hashes);
    }

    /** First {@code gone} is taken out, then {@code come} is put in. */
    TableHash changed(Iterable<byte[]> gone, Iterable<byte[]> come) {
        var next = new TableHash(drawers.clone(), hashes.clone());
        var touched = new BitSet();
        for (byte[] digest : gone) {
            next.remove(digest);
            touched.set(drawer(digest));
        }
        for (byte[] digest : come) {
            next.add(digest);
            touched.set(drawer(digest));
        }
        touched.stream().forEach(i -> next.hashes[i] = Digest.bytes(next.drawers[i]));
        return next;
    }

    /** In hexadecimal. */
    String hash() {
        return HexFormat.of().formatHex(Digest.bytes(hashes));
    }

    private void remove(byte[] digest) {
        byte[] drawer = drawers[drawer(digest)];
        int place = place(drawer, digest);
        if (!isAt(drawer, place, digest)) {
            throw new IllegalStateException("a digest that is not there cannot be taken out");
        }
        var less = new byte[drawer.length - Digest.BYTES];
        System.arraycopy(drawer, 0, less, 0, place);
        System.arraycopy(drawer, place + Digest.BYTES, less, place, less.length - place);
        drawers[drawer(digest)] = less;
    }

    private void add(byte[] digest) {
        byte[] drawer = drawers[drawer(digest)];
        int place = place(drawer, digest);
        if (isAt(drawer, place, digest)) {
            throw new IllegalStateException("a digest is there once");
        }
        var more = new byte[drawer.length + Digest.BYTES];
        System.arraycopy(drawer, 0, more, 0, place);
        System.arraycopy(digest, 0, more, place, Digest.BYTES);
        System.arraycopy(drawer, place, more, place + Digest.BYTES, drawer.length - place);
        drawers[drawer(digest)] = more;
    }

    private static int drawer(byte[] digest) {
        return digest[0] & 0xff;
    }

    // Where the digest is, or would be.
    private static int place(byte[] drawer, byte[] digest) {
        int from = 0;
        int to = drawer.length / Digest.BYTES;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (compare(drawer, middle * Digest.BYTES, digest) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from * Digest.BYTES;
    }

    private static boolean isAt(byte[] drawer, int place, byte[] digest) {
        return place < drawer.length && compare(drawer, place, digest) == 0;
    }

    private static int compare(byte[] drawer, int place, byte[] digest) {
        return Arrays.compareUnsigned(drawer, place, place + Digest.BYTES, digest, 0, Digest.BYTES);
    }
}
