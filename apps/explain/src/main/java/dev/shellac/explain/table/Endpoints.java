package dev.shellac.explain.table;

import dev.shellac.explain.table.Route.Target;
import dev.shellac.explain.table.Table.Pool;
import dev.shellac.explain.table.Table.Select;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads endpoints. Each is known by a key: its place, and the TLS name that it must be reached with. */
final class Endpoints {
    private Endpoints() {}

    /** Where a group or mirror sends requests. */
    static Target target(Json json) {
        Optional<Json> external = json.find("external_proxy");
        if (external.isPresent()) {
            String name = external.get().text("hostname").orElse("").toLowerCase(Locale.ROOT);
            String tls = external.get().flag("tls") ? "+tls:" + name : "";
            String key = "dns:" + name + ":" + external.get().number("port").orElse(0L) + tls;
            return new Target.Inline(new Pool(List.of(key), Select.RANDOM));
        }
        return json.text("pool")
                .<Target>map(Target.Named::new)
                .orElseGet(() -> new Target.Inline(pool(json, Optional.of(json))));
    }

    static Pool pool(Json json, Optional<Json> tls) {
        return new Pool(
                keys(
                        json.list("backends"),
                        tls.flatMap(found -> found.find("backend_tls")).flatMap(found -> found.text("hostname"))),
                json.text("select").orElse("random").equals("hash") ? Select.HASH : Select.RANDOM);
    }

    static List<String> keys(List<Json> endpoints, Optional<String> tlsName) {
        String tls = tlsName.map(name -> "+tls:" + name).orElse("");
        return endpoints.stream().map(endpoint -> place(endpoint) + tls).toList();
    }

    private static String place(Json endpoint) {
        Optional<String> path = endpoint.text("path");
        if (path.isPresent()) {
            return "unix:" + path.get();
        }
        String address = endpoint.text("address").orElse("");
        String port = ":" + endpoint.number("port").orElse(0L);
        return address.contains(":") ? "[" + Ipv6.shortened(address) + "]" + port : address + port;
    }
}
