package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.varnishconfig.wire.Chunk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The text of ghost.json, and the hash that it bears. It is kept in parts, which tables share: a changed table is a few new parts,
 * and only who wants the bytes makes them.
 */
public final class GhostTable {
    private static final Chunk VHOSTS = Chunk.of("},\n\"vhosts\":{");
    private static final Chunk END = Chunk.of("}\n}\n");
    private static final Chunk BETWEEN = Chunk.of(",\n");
    private static final Chunk LINE = Chunk.of("\n");

    private final Chunk start;
    private final Parts<?> parts;
    private final String hash;

    /**
     * What a table is made of.
     *
     * @param head sockets and listeners
     * @param hostsLength of all hosts, without what is between them
     */
    record Parts<H extends TableHost>(Chunk head, Pools pools, PersistentMap<Hostname, H> hosts, int hostsLength) {}

    GhostTable(Parts<?> parts, String hash) {
        this.start = Chunk.of("{\"version\":2,\n\"hash\":\"" + hash + "\",\n");
        this.parts = parts;
        this.hash = hash;
    }

    /** How many bytes it has. */
    public int length() {
        return start.length()
                + parts.head().length()
                + parts.pools().length()
                + between(parts.pools().json())
                + VHOSTS.length()
                + parts.hostsLength()
                + between(parts.hosts())
                + END.length();
    }

    /** Writes the whole text, {@link #length} bytes. */
    public void copyTo(ByteBuffer target) {
        start.copyTo(target);
        parts.head().copyTo(target);
        members(target, parts.pools().json(), pool -> pool.copyTo(target));
        VHOSTS.copyTo(target);
        members(target, parts.hosts(), host -> host.copyTo(target));
        END.copyTo(target);
    }

    public byte[] bytes() {
        var target = ByteBuffer.allocate(length());
        copyTo(target);
        return target.array();
    }

    /** The names of pools that nobody answers for, in order. */
    public List<String> poolsWithoutEndpoints() {
        return parts.pools().empty();
    }

    /** What ghost repeats once this table is live; equal for equal content alone. */
    public String hash() {
        return hash;
    }

    private static <V> void members(ByteBuffer target, PersistentMap<?, V> members, Consumer<V> member) {
        int start = target.position();
        members.forEach((key, value) -> {
            (target.position() == start ? LINE : BETWEEN).copyTo(target);
            member.accept(value);
        });
        if (!members.isEmpty()) {
            LINE.copyTo(target);
        }
    }

    // A line break before the first and after the last, and a comma and a line break between two.
    private static int between(Map<?, ?> members) {
        return BETWEEN.length() * members.size();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GhostTable table && hash.equals(table.hash);
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
