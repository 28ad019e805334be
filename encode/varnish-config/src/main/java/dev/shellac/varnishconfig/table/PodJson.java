package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.reading.HostRoutes;
import dev.shellac.varnishconfig.reading.Routing;
import dev.shellac.varnishconfig.wire.Chunk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Encodes ghost.json in a pod, which knows routing.json and not the plan. It gives what {@link GhostJson} gives for the plan, and
 * remembers as that does: a host that was not read anew is not encoded anew. For one thread.
 */
public final class PodJson {
    private final Set<String> opened;
    private PersistentMap<Hostname, HostRoutes> read = PersistentMap.empty();
    private PersistentMap<Hostname, PodHost> hosts = PersistentMap.empty();
    private Optional<Chunk> lastHead = Optional.empty();
    private Pools pools = Pools.EMPTY;
    private TableHash tableHash = TableHash.EMPTY;
    private int hostsLength;

    /** An encoder that has seen nothing yet, for a varnishd with these sockets; those that serve nothing are free. */
    public PodJson(Set<String> opened) {
        this.opened = Set.copyOf(opened);
    }

    /**
     * The whole table.
     *
     * @param wait a version of an HTTPRoute becomes live as a whole, host by host: the one before it stays until the endpoints of
     *     all its Services are known or it has waited long enough, and what it revokes goes at once
     */
    public PodTable encode(Routing routing, PersistentMap<Name, EndpointSlice> slices, EndpointWait wait) {
        var edit = new TableHashEdit();
        Chunk head = routing.listeners()
                .map(read -> read.stream().map(TableListener::of).toList())
                .map(listeners -> TableHead.of(listeners, sockets(listeners, routing)))
                .orElse(TableHead.PLAIN);
        edit.head(lastHead, head);
        var moreUses = new HashMap<Backend.Serving, Integer>();
        PersistentMap<Hostname, PodHost> next = hosts;
        for (Map.Entry<Hostname, Optional<HostRoutes>> change : changes(routing).entrySet()) {
            Optional<PodHost> before = Optional.ofNullable(next.get(change.getKey()));
            PodHost served = before.orElseGet(() -> PodHost.empty(change.getKey()));
            Optional<PodHost> after = change.getValue().map(host -> PodHost.of(host, served, wait));
            PodHost.change(
                    served,
                    after.orElseGet(() -> PodHost.empty(change.getKey())),
                    edit,
                    (route, by) -> route.backends().forEach(backend -> moreUses.merge(backend, by, Integer::sum)));
            next = after.isPresent() ? next.with(change.getKey(), after.get()) : next.without(change.getKey());
            hostsLength += length(after) - length(before);
        }
        pools = pools.changed(moreUses, slices.values(), edit);
        tableHash = edit.applyTo(tableHash);
        read = routing.hosts();
        hosts = next;
        lastHead = Optional.of(head);
        return table(head);
    }

    private PodTable table(Chunk head) {
        PersistentMap<Hostname, PodHost> served = hosts;
        var held = new ArrayList<PodHost.Held>();
        for (PodHost host : hosts.values()) {
            held.addAll(host.held().values());
            if (host.isEmpty()) {
                served = served.without(host.host());
            }
        }
        var parts = new GhostTable.Parts<>(head, pools, served, hostsLength);
        return new PodTable(new GhostTable(parts, "sha256:" + tableHash.hash()), hosts, pools.json(), held);
    }

    // What was read anew, and what waited the last time.
    private Map<Hostname, Optional<HostRoutes>> changes(Routing routing) {
        var changes = new LinkedHashMap<Hostname, Optional<HostRoutes>>();
        for (Change<Hostname, HostRoutes> change : routing.hosts().changesSince(read)) {
            changes.put(change.key(), change.after());
        }
        hosts.forEach((name, host) -> {
            if (!host.held().isEmpty()) {
                changes.putIfAbsent(name, Optional.ofNullable(routing.hosts().get(name)));
            }
        });
        return changes;
    }

    private static int length(Optional<PodHost> host) {
        return host.filter(found -> !found.isEmpty()).map(PodHost::length).orElse(0);
    }

    private SocketMap sockets(List<TableListener> listeners, Routing routing) {
        var ports = new HashMap<String, Set<Port>>();
        opened.forEach(socket -> ports.put(socket, Set.of()));
        routing.sockets()
                .ifPresentOrElse(
                        ports::putAll,
                        () -> listeners.forEach(
                                listener -> ports.put(listener.usualSocket(), Set.of(listener.port()))));
        return SocketMap.of(ports);
    }
}
