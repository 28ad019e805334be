package dev.shellac.varnishconfig.table;

import dev.shellac.translate.plan.BackendShare;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RoutePlan.Action;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.CacheFields;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.FilterFields;
import dev.shellac.varnishconfig.wire.JsonWriter;
import dev.shellac.varnishconfig.wire.MatchFields;
import dev.shellac.varnishconfig.wire.PoolName;
import dev.shellac.varnishconfig.wire.RuleFields;
import java.util.stream.Stream;

/** One route of ghost.json. What it says depends on its plan alone, never on its neighbours: no {@code priority}. */
final class RouteJson {
    private RouteJson() {}

    static Chunk encode(RoutePlan route) {
        JsonWriter json = JsonWriter.compact().open('{');
        MatchFields.write(json, route.match());
        json.name("listeners").open('[');
        route.listeners().forEach(json::text);
        json.close(']');
        switch (route.action()) {
            case Action.Serve serve -> serve(json, serve);
            // No group and no redirect is 500.
            case Action.Refuse refuse -> json.name("backend_groups").open('[').close(']');
        }
        RuleFields.origin(json, route.origin());
        return json.close('}').chunk();
    }

    private static void serve(JsonWriter json, Action.Serve serve) {
        FilterFields.write(json, "filters", serve.filters(), RouteJson::mirrorTarget);
        json.name("backend_groups").open('[');
        serve.backends().forEach(share -> group(json, share));
        json.close(']');
        RuleFields.timeouts(json, serve.timeouts());
        serve.retry().ifPresent(retry -> RuleFields.retry(json, retry));
        serve.cache().ifPresent(cache -> CacheFields.write(json, cache, serve));
    }

    private static void group(JsonWriter json, BackendShare share) {
        json.open('{').field("weight", share.weight());
        switch (share.backend()) {
            case Backend.Serving serving -> json.field("pool", PoolName.of(serving));
            case Backend.Refused refused -> json.name("invalid").flag(true);
            case Backend.Withheld withheld -> json.name("invalid").flag(true);
        }
        FilterFields.write(json, "filters", share.filters(), RouteJson::mirrorTarget);
        json.close('}');
    }

    private static void mirrorTarget(JsonWriter json, Backend.Serving backend) {
        json.field("pool", PoolName.of(backend));
    }

    /** Every backend that the route's JSON names a pool for. */
    static Stream<Backend.Serving> backends(RoutePlan route) {
        return route.action() instanceof Action.Serve serve
                ? Stream.concat(
                                serve.backends().stream().map(BackendShare::backend),
                                serve.filters().mirrors().stream().map(mirror -> mirror.backend()))
                        .flatMap(backend ->
                                backend instanceof Backend.Serving serving ? Stream.of(serving) : Stream.empty())
                : Stream.empty();
    }
}
