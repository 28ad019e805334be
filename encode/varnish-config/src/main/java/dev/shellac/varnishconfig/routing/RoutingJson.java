package dev.shellac.varnishconfig.routing;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.varnishconfig.table.SocketMap;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Encodes routing.json, version 2, for one Gateway: an entry for each host, match and backend. It remembers the last file and
 * encodes the routes that changed since. For one thread.
 */
public final class RoutingJson {
    private static final PersistentList<RoutePlan> NO_ROUTES =
            PersistentList.of(Precedence.FIRST_TRIED_FIRST, List.<RoutePlan>of());

    private PersistentList<HostPlan> plans =
            PersistentMap.<Hostname, HostPlan>empty().values();
    private PersistentMap<Hostname, HostText> hosts = PersistentMap.empty();

    /** An encoder that has seen nothing yet. */
    public RoutingJson() {}

    /** For pods in which each port has a socket that is named after it. */
    public String encode(GatewayPlan plan) {
        return file(plan).text();
    }

    /** The same, not written out yet. */
    public RoutingFile file(GatewayPlan plan) {
        return file(plan, Optional.empty());
    }

    /** For pods whose sockets serve these ports; a free one is not named. */
    public String encode(GatewayPlan plan, SocketMap sockets) {
        return file(plan, sockets).text();
    }

    /** The same, not written out yet. */
    public RoutingFile file(GatewayPlan plan, SocketMap sockets) {
        return file(plan, Optional.of(sockets));
    }

    private RoutingFile file(GatewayPlan plan, Optional<SocketMap> sockets) {
        PersistentMap<Hostname, HostText> next = hosts;
        for (Change<Object, HostPlan> change : plan.hosts().changesSince(plans)) {
            Hostname host = change.after().or(change::before).orElseThrow().hostname();
            HostText text = Optional.ofNullable(next.get(host))
                    .orElseGet(() -> HostText.empty(host))
                    .changed(routes(change.after()).changesSince(routes(change.before())));
            next = text.routes().isEmpty() ? next.without(host) : next.with(host, text);
        }
        hosts = next;
        plans = plan.hosts();
        return new RoutingFile(head(plan, sockets), hosts);
    }

    private static PersistentList<RoutePlan> routes(Optional<HostPlan> host) {
        return host.map(HostPlan::routes).orElse(NO_ROUTES);
    }

    private static Chunk head(GatewayPlan plan, Optional<SocketMap> sockets) {
        JsonWriter json = JsonWriter.indented(0).open('{').field("version", 2);
        json.name("listeners").open('{');
        plan.listeners().stream()
                .sorted(Comparator.comparing(ListenerPlan::key))
                .forEach(listener -> {
                    json.name(listener.key()).open('{');
                    if (!listener.hostname().isAny()) {
                        json.field("hostname", listener.hostname().value());
                    }
                    json.field("port", listener.port().value())
                            .field("protocol", listener.protocol())
                            .close('}');
                });
        json.close('}');
        sockets.ifPresent(served -> sockets(json.name("sockets"), served));
        return json.name("vhosts").open('{').chunk();
    }

    private static void sockets(JsonWriter json, SocketMap sockets) {
        json.open('{');
        sockets.ports().forEach((socket, ports) -> {
            if (!ports.isEmpty()) {
                json.name(socket).open('[');
                ports.forEach(port -> json.number(port.value()));
                json.close(']');
            }
        });
        json.close('}');
    }
}
