package dev.shellac.varnishconfig.reading;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.varnishconfig.reading.JsonSpans.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads routing.json, version 2, and changes of it. It remembers what it read last: a host whose bytes are the same is not parsed, and
 * changes cost what they hold. For one thread.
 */
public final class RoutingReader {
    private static final Set<String> VERSION = Set.of("2");
    private static final String GONE = "null";

    private final Json.Parser parser;
    private final Map<String, HostReading> readings = new HashMap<>();
    // What could not be read. It is tried again, should it come again.
    private final Map<String, Span> unread = new HashMap<>();
    // What the file says of the hosts that are others by the last changes; nothing where it does not have them.
    private Map<String, Optional<Span>> replaced = Map.of();
    private Routing last = Routing.NOTHING;

    public RoutingReader(Json.Parser parser) {
        this.parser = parser;
    }

    /**
     * The file. Its bytes are not kept, only those of its hosts.
     *
     * @throws RoutingFormatException if nothing of it can be used; one host that cannot is among the faults
     */
    public Routing read(byte[] bytes) throws RoutingFormatException {
        Map<String, Span> top = top(bytes);
        Optional<List<Routing.Listener>> listeners;
        Optional<Map<String, Set<Port>>> sockets;
        try {
            Optional<Json> written = part(top, "listeners");
            listeners = written.isPresent() ? Optional.of(listeners(written.get())) : Optional.empty();
            Optional<Json> mapped = part(top, "sockets");
            sockets = mapped.isPresent() ? Optional.of(sockets(mapped.get())) : Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new RoutingFormatException("listeners or sockets: " + e.getMessage());
        }
        Map<String, Span> file = vhosts(top);
        replaced = Map.of();
        var hosts = new Hosts(last.hosts(), new TreeMap<>());
        for (String name : last.hosts().keySet().stream().map(Hostname::value).toList()) {
            if (!file.containsKey(name)) {
                hosts.remove(name);
            }
        }
        file.forEach(hosts::put);
        last = new Routing(listeners, sockets, hosts.now, hosts.faults);
        return last;
    }

    /**
     * The last file, changed: the hosts that are named here are as they are here, {@code null} where there is none any more. Changes that were
     * read before count for nothing.
     *
     * @throws RoutingFormatException if nothing of it can be used
     */
    public Routing change(byte[] bytes) throws RoutingFormatException {
        Map<String, Span> next = vhosts(top(bytes));
        var before = new HashMap<String, Optional<Span>>();
        next.keySet().forEach(name -> before.put(name, inFile(name)));
        var faults = new TreeMap<>(last.faults());
        faults.keySet().removeAll(replaced.keySet());
        faults.keySet().removeAll(next.keySet());
        var hosts = new Hosts(last.hosts(), faults);
        replaced.forEach((name, span) -> {
            if (!next.containsKey(name)) {
                hosts.put(name, span);
            }
        });
        next.forEach((name, span) -> hosts.put(name, Optional.of(span).filter(RoutingReader::isThere)));
        replaced = before;
        last = new Routing(last.listeners(), last.sockets(), hosts.now, hosts.faults);
        return last;
    }

    private static boolean isThere(Span span) {
        return !span.text(0, span.length()).equals(GONE);
    }

    private Optional<Span> inFile(String name) {
        Optional<Span> known = replaced.get(name);
        return known != null
                ? known
                : Optional.ofNullable(unread.get(name))
                        .or(() -> Optional.ofNullable(readings.get(name)).map(HostReading::span));
    }

    private Map<String, Span> top(byte[] bytes) throws RoutingFormatException {
        Map<String, Span> top = JsonSpans.of(new Span(bytes, 0, bytes.length), parser);
        Json version = part(top, "version").orElseThrow(() -> new RoutingFormatException("there is no version"));
        if (!(version instanceof Json.Literal number) || !VERSION.contains(number.json())) {
            throw new RoutingFormatException("not of version 2");
        }
        return top;
    }

    private Map<String, Span> vhosts(Map<String, Span> top) throws RoutingFormatException {
        Span vhosts = top.get("vhosts");
        return vhosts == null ? Map.of() : JsonSpans.of(vhosts, parser);
    }

    /** The hosts on the way to the next routing. */
    private final class Hosts {
        private PersistentMap<Hostname, HostRoutes> now;
        private final Map<String, String> faults;

        Hosts(PersistentMap<Hostname, HostRoutes> before, Map<String, String> faults) {
            this.now = before;
            this.faults = faults;
        }

        void put(String name, Optional<Span> span) {
            span.ifPresentOrElse(found -> put(name, found), () -> remove(name));
        }

        void remove(String name) {
            // One that was never read may have a name that no host has.
            if (readings.remove(name) != null) {
                now = now.without(new Hostname(name));
            }
            unread.remove(name);
        }

        void put(String name, Span span) {
            HostReading before = readings.getOrDefault(name, HostReading.NOTHING);
            unread.remove(name);
            if (before.span().sameBytes(span)) {
                return;
            }
            // What is kept of a host outlasts many files, and must not keep them.
            Span alone = span.alone();
            try {
                var host = new Hostname(name);
                HostReading reading = HostReading.of(alone, before, parser);
                readings.put(name, reading);
                List<ParsedRoute> routes = reading.routes();
                now = routes.isEmpty() ? now.without(host) : now.with(host, new HostRoutes(host, routes));
            } catch (RoutingFormatException | IllegalArgumentException e) {
                unread.put(name, alone);
                faults.put(name, String.valueOf(e.getMessage()));
            }
        }
    }

    private Optional<Json> part(Map<String, Span> top, String name) throws RoutingFormatException {
        Span span = top.get(name);
        return span == null ? Optional.empty() : Optional.of(span.parse(parser));
    }

    private static List<Routing.Listener> listeners(Json json) throws RoutingFormatException {
        if (!(json instanceof Json.Members members)) {
            throw new RoutingFormatException("listeners: an object expected");
        }
        var listeners = new ArrayList<Routing.Listener>();
        for (Map.Entry<String, Json> member : members.members().entrySet()) {
            Map<String, Json> fields =
                    member.getValue() instanceof Json.Members listener ? listener.members() : Map.of();
            String hostname = Fields.text(fields, "hostname");
            int port = Fields.number(fields, "port")
                    .orElseThrow(() -> new RoutingFormatException("listener " + member.getKey() + " has no port"));
            listeners.add(new Routing.Listener(
                    member.getKey(),
                    hostname.isEmpty() ? Hostname.ANY : new Hostname(hostname),
                    new Port(port),
                    Fields.text(fields, "protocol")));
        }
        return listeners;
    }

    // A port, or several where one socket serves what came by others.
    private static Map<String, Set<Port>> sockets(Json json) throws RoutingFormatException {
        if (!(json instanceof Json.Members members)) {
            throw new RoutingFormatException("sockets: an object expected");
        }
        var sockets = new HashMap<String, Set<Port>>();
        for (Map.Entry<String, Json> member : members.members().entrySet()) {
            List<Json> numbers =
                    member.getValue() instanceof Json.Items items ? items.items() : List.of(member.getValue());
            var ports = new HashSet<Port>();
            for (Json number : numbers) {
                ports.add(new Port(Fields.number(number)
                        .orElseThrow(
                                () -> new RoutingFormatException("socket " + member.getKey() + ": a port expected"))));
            }
            sockets.put(member.getKey(), ports);
        }
        return sockets;
    }
}
