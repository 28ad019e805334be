package dev.shellac.explain;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Rendezvous hashing as the data plane does it: the endpoint with the highest score for an object gets it. */
final class StableHash {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private StableHash() {}

    static Optional<String> choose(List<String> endpoints, String host, String target) {
        long object = of(host, target);
        return endpoints.stream()
                .max(Comparator.comparing(endpoint -> spread(object ^ of(endpoint)), Long::compareUnsigned));
    }

    /** FNV-1a over the parts, each ended by a byte that no text has, then spread. */
    static long of(String... parts) {
        long hash = OFFSET;
        for (String part : parts) {
            for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
                hash = (hash ^ (b & 0xff)) * PRIME;
            }
            hash = (hash ^ 0xff) * PRIME;
        }
        return spread(hash);
    }

    private static long spread(long value) {
        long x = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
        return x ^ (x >>> 31);
    }
}
