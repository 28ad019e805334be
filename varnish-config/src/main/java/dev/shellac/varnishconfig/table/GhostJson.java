package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.Digest;
import dev.shellac.varnishconfig.wire.JsonWriter;
import dev.shellac.varnishconfig.wire.PoolName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Encodes ghost.json for one Gateway. It remembers the bytes of hosts, routes and pools and uses them again where their input
 * is equal; what comes out is what an encoder without a memory would write. For one thread.
 */
public final class GhostJson {
    private static final Comparator<EndpointSlice> BY_NAME =
            Comparator.comparing(slice -> slice.meta().name());

    private Map<Hostname, HostJson> hosts = Map.of();
    private Map<String, Encoded<Pool>> pools = Map.of();

    /** An encoder that has seen nothing yet. */
    public GhostJson() {}

    /**
     * The whole table.
     *
     * @param slices of all Services that the plan names; others are ignored
     * @param sockets a port that the plan does not have is left out
     */
    public GhostTable encode(GatewayPlan plan, Collection<EndpointSlice> slices, SocketMap sockets) {
        hosts = hosts(plan);
        pools = pools(slices);
        var body = new ByteSink();
        body.add("\"sockets\":").add(sockets(plan, sockets));
        body.add(",\n\"listeners\":").add(listeners(plan));
        body.add(",\n\"pools\":{");
        members(body, pools, (name, pool) -> body.add(quoted(name)).add(":").add(pool.json()));
        body.add("},\n\"vhosts\":{");
        members(
                body,
                hosts,
                (host, json) ->
                        body.add(quoted(host.value())).add(":").add(json.value().json()));
        byte[] rest = body.add("}\n}\n").bytes();
        String hash = "sha256:" + Digest.of(rest);
        var table = new ByteSink()
                .add("{\"version\":2,\n\"hash\":")
                .add(quoted(hash))
                .add(",\n")
                .add(rest);
        return new GhostTable(table.bytes(), hash);
    }

    private Map<Hostname, HostJson> hosts(GatewayPlan plan) {
        var next = new LinkedHashMap<Hostname, HostJson>();
        for (HostPlan host : plan.hosts()) {
            next.put(host.hostname(), HostJson.of(host, hosts.get(host.hostname())));
        }
        return next;
    }

    private Map<String, Encoded<Pool>> pools(Collection<EndpointSlice> slices) {
        Map<Name, List<EndpointSlice>> byService = byService(slices);
        var next = new TreeMap<String, Encoded<Pool>>();
        for (HostJson host : hosts.values()) {
            for (Backend.Serving backend : host.backends()) {
                next.computeIfAbsent(
                        PoolName.of(backend),
                        name -> pool(name, new Pool(backend, byService.getOrDefault(backend.service(), List.of()))));
            }
        }
        return next;
    }

    private Encoded<Pool> pool(String name, Pool pool) {
        Encoded<Pool> last = pools.get(name);
        return last != null && last.isOf(pool) ? last : new Encoded<>(pool, pool.encode());
    }

    private static Map<Name, List<EndpointSlice>> byService(Collection<EndpointSlice> slices) {
        var byService = new HashMap<Name, List<EndpointSlice>>();
        for (EndpointSlice slice : slices) {
            slice.service()
                    .ifPresent(service -> byService
                            .computeIfAbsent(
                                    new Name(slice.meta().name().namespace(), service), found -> new ArrayList<>())
                            .add(slice));
        }
        // Of one Service at a time: most have one slice, and then there is nothing to sort.
        byService.values().forEach(found -> found.sort(BY_NAME));
        return byService;
    }

    private static byte[] sockets(GatewayPlan plan, SocketMap sockets) {
        JsonWriter json = JsonWriter.compact().open('{');
        sockets.ports().forEach((socket, ports) -> {
            json.name(socket).open('{');
            ports.forEach(port -> json.field(
                    port.toString(),
                    sorted(plan)
                            .filter(listener -> listener.port().equals(port))
                            .map(ListenerPlan::key)
                            .toList()));
            json.close('}');
        });
        return json.close('}').bytes();
    }

    private static byte[] listeners(GatewayPlan plan) {
        JsonWriter json = JsonWriter.compact().open('{');
        sorted(plan).forEach(listener -> {
            json.name(listener.key()).open('{');
            if (!listener.hostname().isAny()) {
                json.field("hostname", listener.hostname().value());
            }
            if (listener.protocol().equals("HTTPS")) {
                json.field("protocol", "HTTPS");
            }
            json.close('}');
        });
        return json.close('}').bytes();
    }

    private static Stream<ListenerPlan> sorted(GatewayPlan plan) {
        return plan.listeners().stream().sorted(Comparator.comparing(ListenerPlan::key));
    }

    private static <K, V> void members(ByteSink body, Map<K, V> values, BiConsumer<K, V> member) {
        String between = "\n";
        for (Map.Entry<K, V> value : values.entrySet()) {
            body.add(between);
            member.accept(value.getKey(), value.getValue());
            between = ",\n";
        }
        if (!values.isEmpty()) {
            body.add("\n");
        }
    }

    private static byte[] quoted(String text) {
        return JsonWriter.compact().text(text).bytes();
    }
}
