package dev.shellac.varnishconfig.table;

import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.varnishconfig.wire.Chunk;

/** The JSON of a route. */
final class RouteText {
    private static final byte[] NOTHING = {};

    private final Chunk json;
    private final byte[] digest;

    RouteText(RoutePlan plan) {
        this(RouteJson.encode(plan));
    }

    RouteText(Chunk json) {
        this.json = json;
        this.digest = json.digest(NOTHING);
    }

    Chunk json() {
        return json;
    }

    byte[] digest() {
        return digest;
    }
}
