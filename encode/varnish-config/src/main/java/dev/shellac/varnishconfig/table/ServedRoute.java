package dev.shellac.varnishconfig.table;

import dev.shellac.varnishconfig.reading.ParsedRoute;

/** A route of a host in a pod's table, with its JSON. */
record ServedRoute(ParsedRoute route, RouteText text) {
    static ServedRoute of(ParsedRoute route) {
        return new ServedRoute(route, new RouteText(route.json()));
    }
}
