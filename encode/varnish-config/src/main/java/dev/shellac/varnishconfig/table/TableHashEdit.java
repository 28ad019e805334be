package dev.shellac.varnishconfig.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Hostname;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.Digest;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What goes out of a table's fingerprint and what comes in. A table is the set of its head, its pools, and of each route with the one
 * before it: the routes of a host have an order, and the pairs of neighbours tell it, because no two routes of a host are
 * alike.
 */
final class TableHashEdit {
    private static final byte[] HEAD = {'h'};
    private static final byte[] POOL = {'p'};
    private static final byte[] ROUTE = {'r'};
    private static final byte[] FIRST = new byte[Digest.BYTES];

    private final Set<byte[]> gone = new TreeSet<>(Arrays::compareUnsigned);
    private final Set<byte[]> come = new TreeSet<>(Arrays::compareUnsigned);

    void head(Optional<Chunk> before, Chunk after) {
        if (!before.equals(Optional.of(after))) {
            before.ifPresent(chunk -> gone.add(chunk.digest(HEAD)));
            come.add(after.digest(HEAD));
        }
    }

    /** A pool bears its name in its bytes. */
    void pool(Optional<Chunk> before, Optional<Chunk> after) {
        before.ifPresent(json -> gone.add(json.digest(POOL)));
        after.ifPresent(json -> come.add(json.digest(POOL)));
    }

    void noNeighbours(Hostname host, Optional<RouteText> before, RouteText route) {
        gone.add(pair(host, before, route));
    }

    void neighbours(Hostname host, Optional<RouteText> before, RouteText route) {
        come.add(pair(host, before, route));
    }

    TableHash applyTo(TableHash tableHash) {
        return gone.isEmpty() && come.isEmpty() ? tableHash : tableHash.changed(gone, come);
    }

    // Digests have one length, so the name of the host ends where the first of them begins.
    private static byte[] pair(Hostname host, Optional<RouteText> before, RouteText route) {
        return Digest.bytes(
                ROUTE,
                host.value().getBytes(UTF_8),
                before.map(RouteText::digest).orElse(FIRST),
                route.digest());
    }
}
