package dev.shellac.varnishconfig.routing;

import dev.shellac.model.Hostname;
import dev.shellac.model.core.TargetPort;
import dev.shellac.translate.plan.BackendShare;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RoutePlan.Action;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.CacheFields;
import dev.shellac.varnishconfig.wire.FilterFields;
import dev.shellac.varnishconfig.wire.JsonWriter;
import dev.shellac.varnishconfig.wire.MatchFields;
import dev.shellac.varnishconfig.wire.RuleFields;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Encodes routing.json, version 2, for one Gateway: an entry for each host, match and backend. It remembers the text of each
 * host and uses it again where the host's plan is equal. For one thread.
 */
public final class RoutingJson {
    private static final int DEPTH_OF_A_HOST = 2;

    private record HostText(HostPlan plan, String json) {}

    private Map<Hostname, HostText> hosts = Map.of();

    /** An encoder that has seen nothing yet. */
    public RoutingJson() {}

    public String encode(GatewayPlan plan) {
        var next = new LinkedHashMap<Hostname, HostText>();
        for (HostPlan host : plan.hosts()) {
            HostText last = hosts.get(host.hostname());
            next.put(host.hostname(), last != null && last.plan().equals(host) ? last : new HostText(host, host(host)));
        }
        hosts = next;
        JsonWriter json = JsonWriter.indented(0).open('{').field("version", 2);
        listeners(json, plan);
        json.name("vhosts").open('{');
        hosts.forEach((host, text) -> json.name(host.value()).literal(text.json()));
        return json.close('}').close('}') + "\n";
    }

    private static void listeners(JsonWriter json, GatewayPlan plan) {
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
    }

    private static String host(HostPlan host) {
        JsonWriter json =
                JsonWriter.indented(DEPTH_OF_A_HOST).open('{').name("routes").open('[');
        // Readers of this format sort by priority, descending: it is the position, counted from the end.
        int priority = host.routes().size();
        for (RoutePlan route : host.routes()) {
            entries(json, host.hostname(), route, priority--);
        }
        return json.close(']').close('}').toString();
    }

    private static void entries(JsonWriter json, Hostname host, RoutePlan route, int priority) {
        if (route.action() instanceof Action.Serve serve && !serve.backends().isEmpty()) {
            for (BackendShare share : serve.backends()) {
                start(json, host, route);
                backend(json, share.backend());
                json.field("weight", share.weight());
                FilterFields.write(json, "backend_filters", share.filters(), RoutingJson::serving);
                end(json, route, priority);
            }
        } else {
            // A redirect, or an answer of 500: no Service, and no weight.
            start(json, host, route);
            json.field("service", "").field("weight", 0);
            end(json, route, priority);
        }
    }

    private static void start(JsonWriter json, Hostname host, RoutePlan route) {
        json.open('{').field("hostname", host.value());
        MatchFields.write(json, route.match());
        if (route.action() instanceof Action.Serve serve) {
            FilterFields.write(json, "filters", serve.filters(), RoutingJson::serving);
        }
    }

    private static void end(JsonWriter json, RoutePlan route, int priority) {
        json.name("listeners").open('[');
        route.listeners().forEach(json::text);
        json.close(']');
        RuleFields.origin(json, route.origin());
        json.field("priority", priority).field("rule_index", route.origin().rule());
        if (route.action() instanceof Action.Serve serve) {
            RuleFields.timeouts(json, serve.timeouts());
            serve.retry().ifPresent(retry -> RuleFields.retry(json, retry));
            serve.cache().ifPresent(cache -> CacheFields.write(json, cache, serve));
        }
        json.close('}');
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
