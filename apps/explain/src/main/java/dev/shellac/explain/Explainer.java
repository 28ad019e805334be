package dev.shellac.explain;

import dev.shellac.explain.Explanation.Miss;
import dev.shellac.explain.Explanation.Other;
import dev.shellac.explain.Explanation.Owner;
import dev.shellac.explain.Explanation.Verdict;
import dev.shellac.explain.request.HostName;
import dev.shellac.explain.request.Request;
import dev.shellac.explain.table.Route;
import dev.shellac.explain.table.Table;
import dev.shellac.explain.table.Table.Host;
import dev.shellac.explain.table.Table.Listener;
import dev.shellac.explain.table.Table.Scheme;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Follows a request through a table, one host and one route after the other. The data plane has an index instead; that both
 * come to the same is what the shared cases are for.
 */
public final class Explainer {
    private final Table table;

    public Explainer(Table table) {
        this.table = table;
    }

    private sealed interface Found {
        record Listening(Owner owner) implements Found {}

        record Nobody(Miss why) implements Found {}
    }

    public Explanation explain(Request request) {
        return switch (listener(request)) {
            case Found.Nobody nobody -> new Explanation(Optional.empty(), new Verdict.Missed(nobody.why()), List.of());
            case Found.Listening listening -> route(request, listening.owner());
        };
    }

    private Explanation route(Request request, Owner owner) {
        Optional<HostName> name = request.host();
        List<Host> covering = table.hosts().stream()
                .filter(host -> host.pattern().covers(name))
                .sorted(Comparator.comparing(Host::pattern))
                .toList();
        Optional<Verdict> taken = Optional.empty();
        var others = new ArrayList<Other>();
        for (Host host : covering) {
            for (Route route : host.routes()) {
                Optional<String> mismatch = Acceptance.mismatch(route, request, owner);
                if (taken.isEmpty() && mismatch.isEmpty()) {
                    taken = Optional.of(new Verdict.Taken(host, route));
                } else {
                    others.add(new Other(host, route, mismatch));
                }
            }
        }
        Verdict missed = new Verdict.Missed(covering.isEmpty() ? Miss.NO_HOST : Miss.NO_ROUTE);
        return new Explanation(Optional.of(owner), taken.orElse(missed), others);
    }

    private Found listener(Request request) {
        if (table.sockets().isEmpty()) {
            return new Found.Listening(bySocket(request.socket()));
        }
        Optional<Map<Integer, List<String>>> socket =
                Optional.ofNullable(table.sockets().get().get(request.socket()));
        if (socket.isPresent() && socket.get().isEmpty()) {
            return new Found.Nobody(Miss.FREED_SOCKET);
        }
        // A socket of one port serves it whatever the connection claims.
        Optional<Integer> port = socket.filter(ports -> ports.size() == 1)
                .map(ports -> ports.keySet().iterator().next())
                .or(request::port)
                .filter(number -> socket.isPresent() && socket.get().containsKey(number));
        List<String> keys = port.map(number -> socket.orElseThrow().getOrDefault(number, List.of()))
                .orElse(List.of());
        Optional<String> best = mostSpecific(keys, request.host());
        if (best.isEmpty()) {
            return new Found.Nobody(Miss.NO_LISTENER);
        }
        Optional<String> connected =
                request.serverName().flatMap(HostName::parse).flatMap(name -> mostSpecific(keys, Optional.of(name)));
        if (connected.isPresent() && !connected.equals(best)) {
            return new Found.Nobody(Miss.MISDIRECTED);
        }
        return new Found.Listening(owner(best.get(), port.orElseThrow()));
    }

    private Optional<String> mostSpecific(List<String> keys, Optional<HostName> host) {
        return keys.stream()
                .filter(key -> described(key).hostname().covers(host))
                .min(Comparator.comparing(key -> described(key).hostname()));
    }

    private Listener described(String key) {
        return table.listeners().getOrDefault(key, Listener.PLAIN);
    }

    private Owner owner(String key, int port) {
        Listener listener = described(key);
        return new Owner(
                key, listener.name().orElse(listener.scheme() + "-" + port), listener.scheme(), Optional.of(port));
    }

    // A table without sockets: "https-8443" says by itself what it is.
    private static Owner bySocket(String socket) {
        Scheme scheme = socket.startsWith("https") ? Scheme.HTTPS : Scheme.HTTP;
        String rest = socket.startsWith(scheme.toString())
                ? socket.substring(scheme.toString().length())
                : "";
        Optional<Integer> port = rest.startsWith("-") ? HostName.port(":" + rest.substring(1)) : Optional.empty();
        return new Owner(socket, socket, scheme, port);
    }
}
