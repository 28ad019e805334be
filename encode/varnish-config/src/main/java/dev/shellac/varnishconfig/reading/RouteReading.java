package dev.shellac.varnishconfig.reading;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.core.TargetPort;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.JsonWriter;
import dev.shellac.varnishconfig.wire.PoolName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * From entries to a route. What ghost.json says in the same words is copied, in the order in which the encoder of plans writes it, so
 * that both come to the same bytes.
 */
final class RouteReading {
    private static final Set<String> OF_THE_BACKEND = Set.of(
            "service",
            "namespace",
            "port",
            "port_name",
            "service_port",
            "backend_tls",
            "external_proxy",
            "invalid",
            "weight",
            "backend_filters");
    private static final Set<String> ROUTING_ALONE = Set.of("hostname", "priority", "rule_index");
    private static final List<String> MATCH = List.of("path_match", "method", "headers", "query_params");
    private static final List<String> ORIGIN = List.of("route_name", "rule_name", "origin");
    private static final List<String> PLACED = List.of(
            "path_match",
            "method",
            "headers",
            "query_params",
            "listeners",
            "filters",
            "route_name",
            "rule_name",
            "origin");
    private static final ResourceId NO_POLICY = ResourceId.of(GroupKind.BACKEND_TLS_POLICY, "", "");

    private final Map<String, Json> rule;
    private final List<Json.Members> entries;
    private final Set<Backend.Serving> served = new LinkedHashSet<>();
    private final Set<Backend.Serving> mirrored = new LinkedHashSet<>();
    private boolean refused;

    private RouteReading(Map<String, Json> rule, List<Json.Members> entries) {
        this.rule = rule;
        this.entries = entries;
    }

    /** All that entries of one route have in common. */
    static Map<String, Json> rule(Json.Members entry) {
        var rule = new LinkedHashMap<>(entry.members());
        rule.keySet().removeAll(OF_THE_BACKEND);
        return rule;
    }

    static ParsedRoute read(Map<String, Json> rule, List<Json.Members> entries) throws RoutingFormatException {
        return new RouteReading(rule, entries).route();
    }

    private ParsedRoute route() throws RoutingFormatException {
        JsonWriter json = JsonWriter.compact().open('{');
        copy(json, MATCH);
        copy(json, List.of("listeners"));
        String head = json.toString();
        if (rule.get("filters") instanceof Json.Members filters) {
            json.name("filters");
            filters(json, filters);
        }
        json.name("backend_groups").open('[');
        for (Json.Members entry : entries) {
            group(json, entry);
        }
        json.close(']');
        for (Map.Entry<String, Json> other : rule.entrySet()) {
            if (!PLACED.contains(other.getKey()) && !ROUTING_ALONE.contains(other.getKey())) {
                write(json.name(other.getKey()), other.getValue());
            }
        }
        copy(json, ORIGIN);
        String name = Fields.text(rule, "route_name");
        Map<String, Json> origin = rule.get("origin") instanceof Json.Members members ? members.members() : Map.of();
        int number = Fields.number(origin, "rule").orElse(0);
        int match = Fields.number(origin, "match").orElse(0);
        return new ParsedRoute(
                head,
                json.close('}').chunk(),
                new ParsedRoute.Targets(List.copyOf(served), List.copyOf(mirrored), refused),
                name,
                number,
                match);
    }

    private void copy(JsonWriter json, List<String> names) {
        for (String name : names) {
            Optional.ofNullable(rule.get(name)).ifPresent(value -> write(json.name(name), value));
        }
    }

    private void group(JsonWriter json, Json.Members entry) throws RoutingFormatException {
        boolean invalid = entry.get("invalid").equals(Optional.of(new Json.Literal("true")));
        Optional<Json> external = entry.get("external_proxy");
        if (Fields.text(entry.members(), "service").isEmpty() && !invalid && external.isEmpty()) {
            return;
        }
        json.open('{').field("weight", Fields.number(entry.members(), "weight").orElse(1));
        if (invalid) {
            json.name("invalid").flag(true);
            refused = true;
        } else if (external.isPresent()) {
            write(json.name("external_proxy"), external.get());
        } else {
            json.field("pool", pool(entry, served));
        }
        if (entry.get("backend_filters").orElse(null) instanceof Json.Members filters) {
            json.name("filters");
            filters(json, filters);
        }
        json.close('}');
    }

    // The formats differ in how they name the backend of a mirror.
    private void filters(JsonWriter json, Json.Members filters) throws RoutingFormatException {
        json.open('{');
        for (Map.Entry<String, Json> filter : filters.members().entrySet()) {
            json.name(filter.getKey());
            if (filter.getKey().equals("request_mirrors") && filter.getValue() instanceof Json.Items mirrors) {
                mirrors(json, mirrors);
            } else {
                write(json, filter.getValue());
            }
        }
        json.close('}');
    }

    private void mirrors(JsonWriter json, Json.Items mirrors) throws RoutingFormatException {
        json.open('[');
        for (Json item : mirrors.items()) {
            if (!(item instanceof Json.Members mirror)) {
                throw new RoutingFormatException("request_mirrors: an object expected");
            }
            json.open('{').field("pool", pool(mirror, mirrored));
            for (Map.Entry<String, Json> field : rule(mirror).entrySet()) {
                write(json.name(field.getKey()), field.getValue());
            }
            json.close('}');
        }
        json.close(']');
    }

    private static String pool(Json.Members entry, Set<Backend.Serving> backends) throws RoutingFormatException {
        Map<String, Json> fields = entry.members();
        int target = Fields.number(fields, "port").orElse(0);
        Optional<String> portName =
                Optional.of(Fields.text(fields, "port_name")).filter(name -> !name.isEmpty());
        int port = Fields.number(fields, "service_port").orElse(target);
        Optional<Backend.Tls> tls = entry.get("backend_tls")
                .flatMap(found -> found instanceof Json.Members members ? Optional.of(members) : Optional.empty())
                .map(members -> new Backend.Tls(
                        NO_POLICY, new Hostname(Fields.text(members.members(), "hostname")), List.of(), List.of()));
        var backend = new Backend.Serving(
                new Name(Fields.text(fields, "namespace"), Fields.text(fields, "service")),
                new Port(port),
                target > 0 ? new TargetPort.Numbered(new Port(target)) : new TargetPort.Named(portName.orElse("")),
                portName,
                Backend.Protocol.HTTP,
                tls);
        backends.add(backend);
        return PoolName.of(backend);
    }

    private static void write(JsonWriter json, Json value) {
        switch (value) {
            case Json.Text text -> json.text(text.value());
            case Json.Literal literal -> json.literal(literal.json());
            case Json.Items items -> {
                json.open('[');
                items.items().forEach(item -> write(json, item));
                json.close(']');
            }
            case Json.Members members -> {
                json.open('{');
                members.members().forEach((name, member) -> write(json.name(name), member));
                json.close('}');
            }
        }
    }

    /** The entries of a host, those of one route together; readers of the format go by priority, then by place. */
    static List<ParsedRoute> all(List<Json.Members> entries) throws RoutingFormatException {
        var sorted = new ArrayList<>(entries);
        sorted.sort((one, other) -> Integer.compare(priority(other), priority(one)));
        var routes = new ArrayList<ParsedRoute>();
        int from = 0;
        while (from < sorted.size()) {
            Map<String, Json> rule = rule(sorted.get(from));
            int to = from + 1;
            while (to < sorted.size() && rule(sorted.get(to)).equals(rule)) {
                to++;
            }
            routes.add(read(rule, sorted.subList(from, to)));
            from = to;
        }
        return routes;
    }

    private static int priority(Json.Members entry) {
        return Fields.number(entry.members(), "priority").orElse(0);
    }
}
