package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.shared.SharedMap;
import dev.shellac.varnishconfig.reading.ReadRoute;
import dev.shellac.varnishconfig.wire.Chunk;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The table of a pod, and what is not in it yet. */
public final class PodTable {
    private final GhostTable table;
    private final SharedMap<Hostname, PodHost> hosts;
    private final SharedMap<String, Chunk> pools;
    private final Set<Name> waitsFor;

    PodTable(GhostTable table, SharedMap<Hostname, PodHost> hosts, SharedMap<String, Chunk> pools, Set<Name> waitsFor) {
        this.table = table;
        this.pools = pools;
        this.hosts = hosts;
        this.waitsFor = Set.copyOf(waitsFor);
    }

    public GhostTable table() {
        return table;
    }

    /** The {@code pools} of the table alone, as JSON. */
    public String poolsJson() {
        return pools.values().stream().map(Chunk::toString).collect(Collectors.joining(",\n", "{", "}"));
    }

    /** Services that some route waits for, because their endpoints are not known. */
    public Set<Name> waitsFor() {
        return waitsFor;
    }

    /** The route at a position of a host, as the router names it in a refusal. */
    public Optional<ReadRoute> route(String host, int position) {
        return hosts.entrySet().stream()
                .filter(entry -> entry.getKey().value().equals(host))
                .findFirst()
                .flatMap(entry -> entry.getValue().route(position));
    }
}
