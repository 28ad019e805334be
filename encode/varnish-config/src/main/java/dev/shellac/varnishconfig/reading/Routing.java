package dev.shellac.varnishconfig.reading;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.persistent.PersistentMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a routing.json says.
 *
 * @param listeners none where the file is of a writer that does not name them
 * @param sockets which ports each socket serves, if the file says so
 * @param hosts a host that did not change is the object that it was
 * @param faults by host, why it could not be read; it is as it was before
 */
public record Routing(
        Optional<List<Listener>> listeners,
        Optional<Map<String, Set<Port>>> sockets,
        PersistentMap<Hostname, HostRoutes> hosts,
        Map<String, String> faults) {
    /** A listener that serves. */
    public record Listener(String key, Hostname hostname, Port port, String protocol) {}

    public static final Routing NOTHING =
            new Routing(Optional.empty(), Optional.empty(), PersistentMap.empty(), Map.of());

    public Routing {
        listeners = listeners.map(List::copyOf);
        sockets = sockets.map(Map::copyOf);
        faults = Map.copyOf(faults);
    }

    /** Those whose endpoints are wanted. */
    public Set<Name> services() {
        var services = new HashSet<Name>();
        hosts.forEach((name, host) -> services.addAll(host.services()));
        return services;
    }

    public int routes() {
        return hosts.values().stream().mapToInt(host -> host.routes().size()).sum();
    }
}
