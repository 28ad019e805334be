package dev.shellac.varnishconfig.reading;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.model.shared.SharedMap;
import dev.shellac.varnishconfig.reading.Spans.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads routing.json, version 2. It remembers the last file: a host whose bytes are the same is not parsed. For one thread.
 */
public final class RoutingReader {
    private static final Set<String> VERSION = Set.of("2");

    private final Json.Parser parser;
    private Map<String, Span> spans = Map.of();
    private final Map<String, HostReading> readings = new HashMap<>();
    private Routing last = Routing.NOTHING;

    public RoutingReader(Json.Parser parser) {
        this.parser = parser;
    }

    /**
     * The file, which must not be changed afterwards.
     *
     * @throws NotRouting if nothing of it can be used; one host that cannot is among the faults
     */
    public Routing read(byte[] file) throws NotRouting {
        Map<String, Span> top = Spans.of(new Span(file, 0, file.length), parser);
        Json version = part(top, "version").orElseThrow(() -> new NotRouting("there is no version"));
        if (!(version instanceof Json.Literal number) || !VERSION.contains(number.json())) {
            throw new NotRouting("not of version 2");
        }
        Optional<List<Routing.Listener>> listeners;
        Optional<Map<String, Set<Port>>> sockets;
        try {
            Optional<Json> written = part(top, "listeners");
            listeners = written.isPresent() ? Optional.of(listeners(written.get())) : Optional.empty();
            Optional<Json> mapped = part(top, "sockets");
            sockets = mapped.isPresent() ? Optional.of(sockets(mapped.get())) : Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new NotRouting("listeners or sockets: " + e.getMessage());
        }
        Span vhosts = top.get("vhosts");
        Map<String, Span> next = vhosts == null ? Map.of() : Spans.of(vhosts, parser);
        var faults = new TreeMap<String, String>();
        SharedMap<Hostname, HostRoutes> hosts = hosts(next, faults);
        // What could not be read is tried again, should it come again.
        var remembered = new HashMap<>(next);
        remembered.keySet().removeAll(faults.keySet());
        spans = remembered;
        last = new Routing(listeners, sockets, hosts, faults);
        return last;
    }

    private SharedMap<Hostname, HostRoutes> hosts(Map<String, Span> next, Map<String, String> faults) {
        SharedMap<Hostname, HostRoutes> hosts = last.hosts();
        for (String name : last.hosts().keySet().stream().map(Hostname::value).toList()) {
            if (!next.containsKey(name)) {
                hosts = hosts.without(new Hostname(name));
                readings.remove(name);
            }
        }
        for (Map.Entry<String, Span> entry : next.entrySet()) {
            Span before = spans.get(entry.getKey());
            if (before != null && before.sameBytes(entry.getValue())) {
                continue;
            }
            try {
                var host = new Hostname(entry.getKey());
                // What is kept of a host outlasts many files, and must not keep them.
                HostReading reading = HostReading.of(
                        entry.getValue().alone(), readings.getOrDefault(entry.getKey(), HostReading.NOTHING), parser);
                readings.put(entry.getKey(), reading);
                List<ReadRoute> routes = reading.routes();
                hosts = routes.isEmpty() ? hosts.without(host) : hosts.with(host, new HostRoutes(host, routes));
            } catch (NotRouting | IllegalArgumentException e) {
                faults.put(entry.getKey(), String.valueOf(e.getMessage()));
            }
        }
        return hosts;
    }

    private Optional<Json> part(Map<String, Span> top, String name) throws NotRouting {
        Span span = top.get(name);
        return span == null ? Optional.empty() : Optional.of(span.parse(parser));
    }

    private static List<Routing.Listener> listeners(Json json) throws NotRouting {
        if (!(json instanceof Json.Members members)) {
            throw new NotRouting("listeners: an object expected");
        }
        var listeners = new ArrayList<Routing.Listener>();
        for (Map.Entry<String, Json> member : members.members().entrySet()) {
            Map<String, Json> fields =
                    member.getValue() instanceof Json.Members listener ? listener.members() : Map.of();
            String hostname = Fields.text(fields, "hostname");
            int port = Fields.number(fields, "port")
                    .orElseThrow(() -> new NotRouting("listener " + member.getKey() + " has no port"));
            listeners.add(new Routing.Listener(
                    member.getKey(),
                    hostname.isEmpty() ? Hostname.ANY : new Hostname(hostname),
                    new Port(port),
                    Fields.text(fields, "protocol")));
        }
        return listeners;
    }

    // A port, or several where one socket serves what came by others.
    private static Map<String, Set<Port>> sockets(Json json) throws NotRouting {
        if (!(json instanceof Json.Members members)) {
            throw new NotRouting("sockets: an object expected");
        }
        var sockets = new HashMap<String, Set<Port>>();
        for (Map.Entry<String, Json> member : members.members().entrySet()) {
            List<Json> numbers =
                    member.getValue() instanceof Json.Items items ? items.items() : List.of(member.getValue());
            var ports = new HashSet<Port>();
            for (Json number : numbers) {
                ports.add(new Port(Fields.number(number)
                        .orElseThrow(() -> new NotRouting("socket " + member.getKey() + ": a port expected"))));
            }
            sockets.put(member.getKey(), ports);
        }
        return sockets;
    }
}
