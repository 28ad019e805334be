package dev.shellac.varnishconfig.reading;

import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.Chunk;
import java.util.List;

/**
 * One route of a host: the entries of routing.json that agree in all but their backend.
 *
 * @param identity what it matches and where it came from; a route of the same identity is an earlier version of it
 * @param json as it stands in ghost.json
 * @param backends whose pools the JSON names
 * @param name {@code namespace/name}
 * @param rule its number in the route
 * @param match its number in the rule
 */
@SuppressWarnings("exports") // the bytes are for this module alone
public record ReadRoute(String identity, Chunk json, List<Backend.Serving> backends, String name, int rule, int match) {
    public ReadRoute {
        backends = List.copyOf(backends);
    }
}
