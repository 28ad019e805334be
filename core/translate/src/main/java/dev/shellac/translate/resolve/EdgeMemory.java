package dev.shellac.translate.resolve;

import dev.shellac.model.policy.ConnectionLimits;
import java.util.Optional;

/**
 * What HAProxy takes, measured with 3.0 and OpenSSL 3.5: 5 MiB by itself with two threads, and two more once it was busy; 40 KiB for a
 * connection that says nothing, 44 in the handshake, 26 with a request of HTTP/1.1, and 52 with ten of HTTP/2; 23 KiB for a certificate.
 *
 * @param alone by itself, with its threads
 * @param connections what its connections may take
 */
public record EdgeMemory(long alone, long connections) {
    private static final long KIBI = 1024;
    private static final long MEBI = 1L << 20;
    private static final long CONNECTION = 52 * KIBI;
    private static final long CERTIFICATE = 32 * KIBI;
    private static final long WITHOUT_THREADS = 6 * MEBI;
    private static final long THREAD = MEBI;
    /** Whatever else there is: health checks and the first clients get in. */
    private static final int LEAST_CONNECTIONS = 64;

    /** What connections that somebody asked for take; without a number, what HAProxy takes by itself. */
    public static EdgeMemory of(ConnectionLimits limits) {
        return new EdgeMemory(
                WITHOUT_THREADS + THREAD * limits.threads(), limits.max().orElse(LEAST_CONNECTIONS) * CONNECTION);
    }

    public long all() {
        return alone + connections;
    }

    /** How many connections a pod takes: those that were asked for, or what HAProxy's part has room for. */
    public static Optional<Integer> connections(MemoryBudget budget, ConnectionLimits limits, int certificates) {
        if (limits.max().isPresent() || !budget.isPromised()) {
            return limits.max();
        }
        long room = budget.edge() - of(limits).alone() - certificates * CERTIFICATE;
        return Optional.of((int) Math.max(LEAST_CONNECTIONS, room / CONNECTION));
    }

    /** Why a pod of this limit cannot have so many. */
    static Optional<String> refusal(MemoryBudget budget, CacheStorage storage, ConnectionLimits limits) {
        EdgeMemory wanted = of(limits);
        if (budget.refusal(storage).isPresent()) {
            return Optional.empty();
        }
        return budget.withEdge(wanted.all())
                .refusal(storage)
                .map(words -> "connections: "
                        + limits.max().map(max -> max + " connections and ").orElse("")
                        + limits.threads() + " threads of HAProxy take " + MemoryBudget.mebi(wanted.all()) + " MiB; "
                        + words + ", or lower connections");
    }
}
