package dev.shellac.translate.resolve;

import java.util.Optional;

/**
 * What the certificates of one Gateway may take, in the cluster and in its pods. In the cluster they are divided among Secrets, which hold a mebibyte each. A
 * file goes into any of them that has room: as long as all files together are within {@link #MOST_BYTES}, each of them finds one.
 */
public final class CertificateRoom {
    /** Secrets of one Gateway. */
    public static final int PARTS = 16;

    /** Bytes in one of them; the API server takes 1,048,576. */
    public static final int PART_BYTES = 1000 * 1024;

    /** The largest file: a chain and its key, as they are written anew with line breaks. */
    public static final int LARGEST_FILE = 72 * 1024;

    /** All files of a Gateway. */
    public static final long MOST_BYTES = (long) PARTS * (PART_BYTES - LARGEST_FILE);

    private static final int PAGE = 4096;

    private CertificateRoom() {}

    /** What a file takes in a pod, which keeps it in memory. */
    public static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    /** Bytes for the files of a Gateway whose pods have this memory limit. A pod has two sets of them for a moment. */
    public static long of(Optional<Long> memoryLimit) {
        return Math.min(MOST_BYTES, MemoryBudget.of(memoryLimit).keys() / 2);
    }
}
