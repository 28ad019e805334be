package dev.shellac.varnishconfig.table;

import dev.shellac.varnishconfig.reading.ReadRoute;

/** A route of a host in a pod's table, with its JSON. */
record ServedRoute(ReadRoute route, RouteText text) {
    static ServedRoute of(ReadRoute route) {
        return new ServedRoute(route, new RouteText(route.json()));
    }
}
