package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.Chunk;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Encodes ghost.json for one Gateway. It remembers the last table and encodes what changed since: the routes, and the pools
 * whose endpoints or users did. What comes out is what an encoder without a memory would write. For one thread.
 */
public final class GhostJson {
    private static final PersistentList<RoutePlan> NO_ROUTES =
            PersistentList.of(Precedence.FIRST_TRIED_FIRST, List.<RoutePlan>of());

    /** The last table and what it was made from. */
    private record Memory(
            List<ListenerPlan> listeners,
            SocketMap sockets,
            PersistentList<HostPlan> plans,
            GhostTable.Parts<HostJson> parts,
            TableHash tableHash) {}

    private Optional<Memory> last = Optional.empty();

    /** An encoder that has seen nothing yet. */
    public GhostJson() {}

    /**
     * The whole table.
     *
     * @param slices of all Services that the plan names; others are ignored. Those of a snapshot tell what changed in them,
     *     any others are looked at one by one
     * @param sockets a port that the plan does not have is left out
     */
    public GhostTable encode(GatewayPlan plan, Collection<EndpointSlice> slices, SocketMap sockets) {
        var edit = new TableHashEdit();
        Chunk head = head(plan, sockets);
        edit.head(last.map(memory -> memory.parts().head()), head);
        PersistentMap<Hostname, HostJson> hosts =
                last.map(memory -> memory.parts().hosts()).orElseGet(PersistentMap::empty);
        int length = last.map(memory -> memory.parts().hostsLength()).orElse(0);
        var moreUses = new HashMap<Backend.Serving, Integer>();
        for (Change<Object, HostPlan> change : plan.hosts().changesSince(before())) {
            Hostname host = change.after().or(change::before).orElseThrow().hostname();
            List<Change<Object, RoutePlan>> routes = routes(change.after()).changesSince(routes(change.before()));
            routes.forEach(route -> count(route, moreUses));
            Optional<HostJson> known = Optional.ofNullable(hosts.get(host));
            HostJson next = known.orElseGet(() -> HostJson.empty(host)).changed(routes, edit);
            hosts = next.isEmpty() ? hosts.without(host) : hosts.with(host, next);
            length += (next.isEmpty() ? 0 : next.length())
                    - known.map(HostJson::length).orElse(0);
        }
        Pools pools =
                last.map(memory -> memory.parts().pools()).orElse(Pools.EMPTY).changed(moreUses, shared(slices), edit);
        TableHash tableHash = edit.applyTo(last.map(Memory::tableHash).orElse(TableHash.EMPTY));
        var parts = new GhostTable.Parts<>(head, pools, hosts, length);
        last = Optional.of(new Memory(plan.listeners(), sockets, plan.hosts(), parts, tableHash));
        return new GhostTable(parts, "sha256:" + tableHash.hash());
    }

    private PersistentList<HostPlan> before() {
        return last.map(Memory::plans)
                .orElseGet(() -> PersistentMap.<Hostname, HostPlan>empty().values());
    }

    private static PersistentList<RoutePlan> routes(Optional<HostPlan> host) {
        return host.map(HostPlan::routes).orElse(NO_ROUTES);
    }

    private static PersistentList<EndpointSlice> shared(Collection<EndpointSlice> slices) {
        return slices instanceof PersistentList<EndpointSlice> persistent
                ? persistent
                : PersistentMap.of(slices, (EndpointSlice slice) -> slice.meta().name())
                        .values();
    }

    private static void count(Change<Object, RoutePlan> change, Map<Backend.Serving, Integer> moreUses) {
        change.before().stream()
                .flatMap(RouteJson::backends)
                .distinct()
                .forEach(backend -> moreUses.merge(backend, -1, Integer::sum));
        change.after().stream()
                .flatMap(RouteJson::backends)
                .distinct()
                .forEach(backend -> moreUses.merge(backend, 1, Integer::sum));
    }

    private Chunk head(GatewayPlan plan, SocketMap sockets) {
        return last.filter(memory -> memory.listeners().equals(plan.listeners())
                        && memory.sockets().equals(sockets))
                .map(memory -> memory.parts().head())
                .orElseGet(() -> TableHead.of(
                        plan.listeners().stream().map(TableListener::of).toList(), sockets));
    }
}
