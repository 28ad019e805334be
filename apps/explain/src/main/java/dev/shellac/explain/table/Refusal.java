package dev.shellac.explain.table;

import java.util.Optional;

/**
 * A mistake in a table that the data plane refused alone.
 *
 * @param host the key in {@code vhosts}, empty where it is about no host
 * @param place position in the host's list of routes
 */
public record Refusal(Effect effect, String host, Optional<Integer> place, String field) {
    /** What became of the thing that was refused. */
    public enum Effect {
        HOST_OMITTED,
        ROUTE_OMITTED,
        UNCACHED,
        UNAVAILABLE,
        PARTIAL
    }

    boolean isOf(Effect wanted, String vhost, int at) {
        return effect == wanted
                && host.equals(vhost)
                && place.filter(found -> found == at).isPresent();
    }
}
