package dev.shellac.varnishconfig.routing;

import dev.shellac.model.Hostname;
import dev.shellac.model.core.TargetPort;
import dev.shellac.translate.plan.BackendShare;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RoutePlan.Action;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.CacheFields;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.FilterFields;
import dev.shellac.varnishconfig.wire.JsonWriter;
import dev.shellac.varnishconfig.wire.MatchFields;
import dev.shellac.varnishconfig.wire.RuleFields;
import java.util.List;

/**
 * One entry of routing.json. Its text does not depend on its neighbours but for the priority, and that is left open: a route that comes
 * between others changes no bytes of theirs.
 *
 * @param beforePriority up to the number
 * @param afterPriority from behind it
 */
record EntryText(Chunk beforePriority, Chunk afterPriority) {
    private static final int DEPTH = 4;

    /** An entry for each backend of a route; one without a Service where there is none. */
    static List<EntryText> of(Hostname host, RoutePlan route) {
        if (route.action() instanceof Action.Serve serve && !serve.backends().isEmpty()) {
            return serve.backends().stream()
                    .map(share -> to(host, route, share))
                    .toList();
        }
        // A redirect, or an answer of 500: no Service, and no weight.
        JsonWriter json = start(host, route);
        json.field("service", "").field("weight", 0);
        return List.of(end(json, route));
    }

    private static EntryText to(Hostname host, RoutePlan route, BackendShare share) {
        JsonWriter json = start(host, route);
        backend(json, share.backend());
        json.field("weight", share.weight());
        FilterFields.write(json, "backend_filters", share.filters(), EntryText::serving);
        return end(json, route);
    }

    private static JsonWriter start(Hostname host, RoutePlan route) {
        JsonWriter json = JsonWriter.indented(DEPTH).open('{').field("hostname", host.value());
        MatchFields.write(json, route.match());
        if (route.action() instanceof Action.Serve serve) {
            FilterFields.write(json, "filters", serve.filters(), EntryText::serving);
        }
        return json;
    }

    private static EntryText end(JsonWriter json, RoutePlan route) {
        json.name("listeners").open('[');
        route.listeners().forEach(json::text);
        json.close(']');
        RuleFields.origin(json, route.origin());
        String before = json.name("priority").literal("").toString();
        json.field("rule_index", route.origin().rule());
        if (route.action() instanceof Action.Serve serve) {
            RuleFields.timeouts(json, serve.timeouts());
            serve.retry().ifPresent(retry -> RuleFields.retry(json, retry));
            serve.cache().ifPresent(cache -> CacheFields.write(json, cache, serve));
        }
        String all = json.close('}').toString();
        return new EntryText(Chunk.of(before), Chunk.of(all.substring(before.length())));
    }

    private static void backend(JsonWriter json, Backend backend) {
        switch (backend) {
            case Backend.Serving serving -> serving(json, serving);
            case Backend.Refused refused ->
                json.field("service", "").name("invalid").flag(true);
            case Backend.Withheld withheld ->
                json.field("service", "").name("invalid").flag(true);
        }
    }

    // `port` is that of the pods, 0 where they name it; then the name of the Service's port finds the endpoints.
    private static void serving(JsonWriter json, Backend.Serving backend) {
        json.field("service", backend.service().name());
        json.field("namespace", backend.service().namespace());
        switch (backend.target()) {
            case TargetPort.Numbered numbered ->
                json.field("port", numbered.port().value());
            case TargetPort.Named named -> json.field("port", 0);
        }
        backend.portName().ifPresent(name -> json.field("port_name", name));
        json.field("service_port", backend.port().value());
        backend.tls()
                .ifPresent(tls -> json.name("backend_tls")
                        .open('{')
                        .field("hostname", tls.hostname().value())
                        .close('}'));
    }
}
