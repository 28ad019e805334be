package dev.shellac.model.gateway;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import java.util.List;
import java.util.Optional;

/**
 * A listener of a Gateway or ListenerSet.
 *
 * @param hostname {@link Hostname#ANY} where the listener names none
 * @param protocol any text, because a protocol of another implementation is legal input
 * @param filters filters before routing, by type
 */
public record Listener(
        String name,
        Hostname hostname,
        Port port,
        String protocol,
        Optional<ListenerTls> tls,
        AllowedRoutes allowedRoutes,
        List<String> filters) {
    public Listener {
        filters = List.copyOf(filters);
    }
}
