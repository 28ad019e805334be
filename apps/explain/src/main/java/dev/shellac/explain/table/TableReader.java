package dev.shellac.explain.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.explain.table.Refusal.Effect;
import dev.shellac.explain.table.Table.Host;
import dev.shellac.explain.table.Table.Listener;
import dev.shellac.explain.table.Table.Pool;
import dev.shellac.explain.table.Table.Scheme;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads ghost.json, version 2. */
public final class TableReader {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final int VERSION = 2;
    private static final int MOST_PORT = 65_535;

    private final Json top;
    private final List<Refusal> refusals;

    private TableReader(Json top, List<Refusal> refusals) {
        this.top = top;
        this.refusals = refusals;
    }

    /**
     * Reads a table as the data plane took it.
     *
     * @param refusals what the data plane left out of it
     */
    public static TableReading read(String json, List<Refusal> refusals) {
        try {
            JsonNode node = JSON.readTree(json);
            return new TableReading.Read(new TableReader(new Json(node), refusals).table());
        } catch (JsonProcessingException e) {
            return new TableReading.Refused("", e.getOriginalMessage());
        } catch (Unusable e) {
            return new TableReading.Refused(e.field, e.why);
        }
    }

    private Table table() {
        if (top.number("version").filter(version -> version == VERSION).isEmpty()) {
            throw new Unusable("version", "must be " + VERSION);
        }
        for (String field : List.of("sockets", "listeners", "pools", "vhosts")) {
            if (top.find(field).filter(value -> !value.node().isObject()).isPresent()) {
                throw new Unusable(field, "must be an object");
            }
        }
        Map<String, Listener> listeners = listeners();
        return new Table(sockets(listeners), listeners, pools(), hosts());
    }

    private Map<String, Listener> listeners() {
        var listeners = new LinkedHashMap<String, Listener>();
        members("listeners").forEach((key, json) -> {
            if (json.text("name").filter(TableReader::hasControl).isPresent()) {
                throw new Unusable("listeners." + key + ".name", "has a control character");
            }
            String hostname =
                    json.text("hostname").filter(name -> !name.isEmpty()).orElse("*");
            listeners.put(
                    key,
                    new Listener(
                            json.text("name"),
                            HostPattern.parse(hostname)
                                    .orElseThrow(
                                            () -> new Unusable("listeners." + key + ".hostname", "is no host name")),
                            json.text("protocol").orElse("HTTP").equals("HTTPS") ? Scheme.HTTPS : Scheme.HTTP));
        });
        return listeners;
    }

    private static boolean hasControl(String name) {
        return name.codePoints().anyMatch(Character::isISOControl);
    }

    private Optional<Map<String, Map<Integer, List<String>>>> sockets(Map<String, Listener> listeners) {
        if (top.find("sockets").isEmpty()) {
            return Optional.empty();
        }
        var portOf = new HashMap<String, Integer>();
        var sockets = new LinkedHashMap<String, Map<Integer, List<String>>>();
        members("sockets").forEach((socket, json) -> {
            var ports = new LinkedHashMap<Integer, List<String>>();
            json.members().forEach((number, keys) -> {
                String here = "sockets." + socket + "." + number;
                int port = port(number, here);
                List<String> names = json.texts(number);
                var hostnames = new HashSet<HostPattern>();
                for (String key : names) {
                    if (portOf.merge(key, port, (first, second) -> first) != port) {
                        throw new Unusable(here, "listener " + key + " has another port already");
                    }
                    if (!hostnames.add(
                            listeners.getOrDefault(key, Listener.PLAIN).hostname())) {
                        throw new Unusable(here, "two listeners of one hostname");
                    }
                }
                ports.put(port, names);
            });
            sockets.put(socket, ports);
        });
        return Optional.of(sockets);
    }

    private static int port(String text, String here) {
        boolean digits = !text.isEmpty() && text.length() <= 5 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = digits ? Integer.parseInt(text) : 0;
        if (port < 1 || port > MOST_PORT) {
            throw new Unusable(here, "is no port");
        }
        return port;
    }

    private Map<String, Pool> pools() {
        var pools = new LinkedHashMap<String, Pool>();
        members("pools").forEach((name, json) -> {
            boolean bad = refusals.stream()
                    .anyMatch(refusal -> refusal.effect() == Effect.UNAVAILABLE
                            && (refusal.field() + ".").startsWith("pools." + name + "."));
            pools.put(name, bad ? Pool.EMPTY : Endpoints.pool(json, Optional.of(json)));
        });
        return pools;
    }

    private List<Host> hosts() {
        var hosts = new ArrayList<Host>();
        members("vhosts").forEach((name, json) -> {
            Optional<Refusal> omitted = refusals.stream()
                    .filter(refusal -> refusal.effect() == Effect.HOST_OMITTED
                            && refusal.host().equals(name))
                    .findFirst();
            // A host with a good name and bad content keeps its place, and takes no request.
            if (omitted.isEmpty()) {
                hosts.add(new Host(name, pattern(name), new RouteReader(name, refusals).routes(json)));
            } else if (!omitted.get().field().equals("vhosts")) {
                hosts.add(new Host(name, pattern(name), List.of()));
            }
        });
        return hosts;
    }

    private static HostPattern pattern(String name) {
        return HostPattern.parse(name).orElseThrow(() -> new Unusable("vhosts." + name, "is no host name"));
    }

    private Map<String, Json> members(String field) {
        return top.find(field).map(Json::members).orElse(Map.of());
    }

    /** Something that the whole table depends on is wrong. */
    private static final class Unusable extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String field;
        private final String why;

        Unusable(String field, String why) {
            super(field + ": " + why);
            this.field = field;
            this.why = why;
        }
    }
}
