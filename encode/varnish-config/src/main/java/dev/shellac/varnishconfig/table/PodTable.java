package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.varnishconfig.reading.ParsedRoute;
import dev.shellac.varnishconfig.wire.Chunk;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The table of a pod, and what is not in it yet. */
public final class PodTable {
    private final GhostTable table;
    private final PersistentMap<Hostname, PodHost> hosts;
    private final PersistentMap<String, Chunk> pools;
    private final List<PodHost.Held> held;

    PodTable(
            GhostTable table,
            PersistentMap<Hostname, PodHost> hosts,
            PersistentMap<String, Chunk> pools,
            List<PodHost.Held> held) {
        this.table = table;
        this.pools = pools;
        this.hosts = hosts;
        this.held = List.copyOf(held);
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
        return held.stream().flatMap(found -> found.waitsFor().stream()).collect(Collectors.toUnmodifiableSet());
    }

    /** Since when the route waits that has waited longest. */
    public Optional<Instant> waitsSince() {
        return held.stream().map(PodHost.Held::since).min(Comparator.naturalOrder());
    }

    /** The Services to which routes send requests while newer versions of them wait. */
    public Set<Name> heldServices() {
        return held.isEmpty()
                ? Set.of()
                : hosts.values().stream()
                        .filter(host -> !host.held().isEmpty())
                        .flatMap(PodHost::services)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether a route of this table sends requests to the Service. */
    public boolean names(Name service) {
        // A semicolon comes right behind the colon of a pool's name.
        return pools.between(service + ":", service + ";").iterator().hasNext();
    }

    /** The route at a position of a host, as the router names it in a refusal. */
    public Optional<ParsedRoute> route(String host, int position) {
        return hosts.entrySet().stream()
                .filter(entry -> entry.getKey().value().equals(host))
                .findFirst()
                .flatMap(entry -> entry.getValue().route(position));
    }
}
