package dev.shellac.translate.resolve;

import dev.shellac.translate.resolve.CacheStorage.Asked;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the memory of a gateway container is divided. The limit is a promise: everything that can grow is bounded, and the bounds add up to
 * no more than the limit.
 *
 * <p>varnishd counts the bytes of objects against its storage, and not what it keeps beside each. The router does: see {@link ObjectMemory}. So a storage
 * may have all that is left, or more, and the objects in it have as much as is left.
 *
 * @param limit of the container
 * @param javaHeap of the chaperone
 * @param edge HAProxy, with its connections
 * @param threads of varnishd, with the memory of the requests that they work on
 * @param transientBytes what is being passed through, and what is too short-lived for the cache
 * @param isPromised whether there is a limit at all
 */
public record MemoryBudget(
        long limit, long javaHeap, long edge, long threads, long transientBytes, boolean isPromised) {
    private static final long KIBI = 1024;
    private static final long MEBI = 1L << 20;
    private static final long BYTES_PER_BUCKET = 16 * 1024;
    /**
     * Of varnishd's threads. Each has a queue of its own: a request waits for a thread of one pool although the other has some to spare, so few threads
     * are best in one.
     */
    public static final int POOLS = 1;

    /**
     * What a thread of varnishd touches with the request that it works on, or the fetch: 157 KiB with 30 KiB of headers on both sides, measured (Varnish
     * 7.1 and 7.7).
     */
    static final long THREAD = 192 * KIBI;

    /** Copies of requests that wait for their mirrors: 8 MiB in the router's queues, and the 32 threads that send them. */
    static final long MIRRORS = 10 * MEBI;

    /** What a thread touches that does nothing but accept connections at one socket. */
    private static final long ACCEPTOR = 32 * KIBI;

    /** What the kernel has of a connection on which nothing is asked: 2.8 to 3 KiB, measured. */
    private static final long CONNECTION = 3 * KIBI;

    /** Those beyond would have file descriptors that the router does not watch. */
    private static final long MOST_CONNECTIONS = 60_000;

    static final long LOG = 16 * MEBI;
    // What the chaperone makes of a routing.json takes four times its size, the file is there while it is read, and its
    // head comes on top.
    private static final int HEAP_TO_ROUTING = 7;
    private static final long JAVA_BESIDE_HEAP = 64 * MEBI;
    // The manager, the child without objects, its log of 16 MiB, and the router's tables.
    private static final long VARNISHD = 64 * MEBI;
    private static final long USUAL = 1024 * MEBI;
    private static final long USUAL_STORAGE = 256 * MEBI;
    private static final long LEAST_ROOM = 64 * MEBI;

    /** Without a limit nothing is promised: the parts of one gibibyte, and 256 MiB of storage. */
    public static MemoryBudget of(Optional<Long> limit) {
        long bytes = limit.orElse(USUAL);
        return new MemoryBudget(
                bytes,
                part(bytes, 10, 48, 192),
                part(bytes, 16, 24, 128),
                part(bytes, 8, 48, 256) / 4 * 3,
                part(bytes, 10, 32, 256),
                limit.isPresent());
    }

    /** The same with at least so much for HAProxy. */
    public MemoryBudget withEdge(long least) {
        return least <= edge ? this : new MemoryBudget(limit, javaHeap, least, threads, transientBytes, isPromised);
    }

    private static long part(long bytes, int share, long least, long most) {
        return Math.clamp(bytes / share / MEBI, least, most) * MEBI;
    }

    /** Bytes that the routes of a Gateway may take in routing.json. */
    public long routing() {
        return javaHeap / HEAP_TO_ROUTING;
    }

    /** A volume in memory for certificates and keys. It holds two sets of them while one takes the other's place, each file in whole pages. */
    public long keys() {
        return isPromised ? part(limit, 128, 8, 32) : 32 * MEBI;
    }

    /** Threads of varnishd, in all pools. */
    public int mostThreads() {
        return (int) (threads / THREAD);
    }

    /** Threads for requests, in all pools, beside those that accept connections at so many sockets. */
    public int requestThreads(int sockets) {
        return (int) ((threads - ACCEPTOR * POOLS * sockets) / THREAD);
    }

    /** Connections on plain ports that the kernel's part has room for; none where no memory is promised. */
    public Optional<Long> connections() {
        return isPromised ? Optional.of(Math.min(reserve() / CONNECTION, MOST_CONNECTIONS)) : Optional.empty();
    }

    /**
     * How far the fetch of what is passed through may be ahead of its client: with a client on every second thread, and four such pieces on
     * their way for each, transient objects fit.
     */
    public long transitBuffer() {
        return Math.max(64 * KIBI, transientBytes / (mostThreads() / 2) / 4 / KIBI * KIBI);
    }

    /**
     * Buckets of the hash; none where varnishd's own hash may grow. That one keeps what it has of an object for minutes after the object is gone,
     * and a burst of short-lived objects would outgrow any limit.
     */
    public Optional<Long> hashBuckets() {
        return isPromised ? Optional.of(Math.clamp(room() / BYTES_PER_BUCKET, 4_093L, 65_521L) | 1) : Optional.empty();
    }

    /** The largest storage that objects can use all of. */
    public long storage() {
        return storageIn(room());
    }

    /** The storage that fits beside what was asked for. */
    public long storageBeside(CacheStorage storage) {
        return storageIn(room() - cost(storage));
    }

    private long storageIn(long room) {
        return isPromised ? Math.max(0, room / MEBI) * MEBI : USUAL_STORAGE;
    }

    /** What the router is told about the storages of a pod; nothing where no memory is promised. */
    public Optional<ObjectMemory> objects(CacheStorage storage) {
        return isPromised ? Optional.of(ObjectMemory.of(storageBeside(storage), limit, storage)) : Optional.empty();
    }

    /** Why a pod with this storage would outgrow its limit. */
    public Optional<String> refusal(CacheStorage storage) {
        if (!isPromised) {
            return Optional.empty();
        }
        if (room() < LEAST_ROOM) {
            return Optional.of("a memory limit of " + mebi(limit) + " MiB has no room for a cache: " + division()
                    + ". Raise resources.limits.memory");
        }
        Optional<Asked> boundless = storage.asked().stream()
                .filter(asked -> asked.bytes().isEmpty())
                .findFirst();
        if (boundless.isPresent()) {
            return Optional.of("storage '" + boundless.get().argument()
                    + "' has no size, which no memory limit can promise to hold");
        }
        VarnishdMemoryDemand demand = VarnishdMemoryDemand.of(storage.otherArguments(), this);
        return demand.fault()
                .or(() -> cost(storage) + LEAST_ROOM <= room()
                        ? Optional.empty()
                        : Optional.of(Stream.concat(transients(storage), demand.words().stream())
                                        .collect(Collectors.joining(", and "))
                                + "; " + division() + ". Lower these settings or raise resources.limits.memory"));
    }

    private Stream<String> transients(CacheStorage storage) {
        return storage.asked().stream()
                .filter(Asked::isTransient)
                .map(asked -> "storage " + asked.argument() + " takes " + mebi(transientCost(asked))
                        + " MiB more than there is for transient objects");
    }

    private long cost(CacheStorage storage) {
        return storage.asked().stream()
                        .filter(Asked::isTransient)
                        .mapToLong(this::transientCost)
                        .sum()
                + (isPromised
                        ? VarnishdMemoryDemand.of(storage.otherArguments(), this)
                                .more()
                        : 0);
    }

    private long transientCost(Asked asked) {
        return Math.max(0, asked.bytes().orElse(0L) - transientBytes);
    }

    private long room() {
        return limit - java() - edge - keys() - VARNISHD - MIRRORS - threads - transientBytes - reserve();
    }

    private long java() {
        return javaHeap + JAVA_BESIDE_HEAP;
    }

    // What the kernel counts besides: sockets, page tables, and memory that was freed and not given back.
    private long reserve() {
        return limit / 20;
    }

    private String division() {
        return "of the limit of " + mebi(limit) + " MiB, "
                + Stream.of(
                                "the chaperone takes " + mebi(java()),
                                "HAProxy " + mebi(edge),
                                "keys " + mebi(keys()),
                                "varnishd " + mebi(VARNISHD),
                                "mirrors " + mebi(MIRRORS),
                                "threads " + mebi(threads),
                                "transient objects " + mebi(transientBytes),
                                "and the kernel " + mebi(reserve()))
                        .collect(Collectors.joining(", "))
                + ", which leaves " + mebi(Math.max(0, room())) + " for objects: objects need at least "
                + mebi(LEAST_ROOM) + " MiB";
    }

    /** Rounded up: what is too much is never none. */
    static long wholeMebi(long bytes) {
        return Math.ceilDiv(bytes, MEBI);
    }

    static long mebi(long bytes) {
        return bytes / MEBI;
    }
}
