package dev.shellac.varnishconfig.reading;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The routes of a host, first tried first. Another object is another reading. */
public final class HostRoutes {
    private final Hostname host;
    private final List<ParsedRoute> routes;
    private final Set<Name> services;

    HostRoutes(Hostname host, List<ParsedRoute> routes) {
        this.host = host;
        this.routes = List.copyOf(routes);
        this.services = routes.stream().flatMap(ParsedRoute::services).collect(Collectors.toUnmodifiableSet());
    }

    public Hostname host() {
        return host;
    }

    public List<ParsedRoute> routes() {
        return routes;
    }

    Set<Name> services() {
        return services;
    }

    @Override
    public String toString() {
        return host + " with " + routes.size() + " routes";
    }
}
