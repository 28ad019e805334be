package dev.shellac.varnishconfig.reading;

import dev.shellac.model.Hostname;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The routes of a host, first tried first. Another object is another reading. */
public final class HostRoutes {
    private final Hostname host;
    private final List<ReadRoute> routes;
    private final Set<String> namespaces;

    HostRoutes(Hostname host, List<ReadRoute> routes) {
        this.host = host;
        this.routes = List.copyOf(routes);
        var found = new TreeSet<String>();
        routes.forEach(route ->
                route.backends().forEach(backend -> found.add(backend.service().namespace())));
        this.namespaces = Set.copyOf(found);
    }

    public Hostname host() {
        return host;
    }

    public List<ReadRoute> routes() {
        return routes;
    }

    Set<String> namespaces() {
        return namespaces;
    }

    @Override
    public String toString() {
        return host + " with " + routes.size() + " routes";
    }
}
