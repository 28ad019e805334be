package dev.shellac.chaperone.live;

import dev.shellac.model.Name;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is live in this pod, and what is not and why.
 *
 * @param config what was taken from the ConfigMap
 * @param table what the router serves from
 * @param vcl what varnishd runs
 * @param endpoints what is known of them
 * @param faults by place, what is wrong that no route is to blame for
 */
public record LiveState(Config config, Table table, Vcl vcl, Endpoints endpoints, Map<String, String> faults) {
    /**
     * The ConfigMap.
     *
     * @param version its resourceVersion
     * @param routing the hash of the routing.json that the live table was made from
     */
    public record Config(Optional<String> version, Optional<String> routing) {}

    /** The table; a hash means that one is live. */
    public record Table(Optional<String> hash, long hosts, long routes, List<Refusal> refusals) {
        public Table {
            refusals = List.copyOf(refusals);
        }
    }

    /** A part of the table that the router left out, by where it came from. */
    public record Refusal(
            String vhost,
            String route,
            Optional<Integer> rule,
            Optional<Integer> match,
            String field,
            String message) {}

    /**
     * The VCL.
     *
     * @param hash of the text that is in use
     * @param refused the compiler's words about a newer one
     */
    public record Vcl(Optional<String> name, Optional<String> hash, Optional<String> refused) {}

    /**
     * The endpoints.
     *
     * @param namespaces those that were listed
     * @param waitsFor Services that routes wait for, because nothing is known of them yet
     */
    public record Endpoints(Set<String> namespaces, Set<Name> waitsFor) {
        public Endpoints {
            namespaces = Set.copyOf(namespaces);
            waitsFor = Set.copyOf(waitsFor);
        }
    }

    static final LiveState NOTHING = new LiveState(
            new Config(Optional.empty(), Optional.empty()),
            new Table(Optional.empty(), 0, 0, List.of()),
            new Vcl(Optional.empty(), Optional.empty(), Optional.empty()),
            new Endpoints(Set.of(), Set.of()),
            Map.of());

    public LiveState {
        faults = Map.copyOf(faults);
    }

    /** Requests are served as some configuration says. */
    public boolean isLive() {
        return table.hash().isPresent() && vcl.name().isPresent();
    }

    LiveState with(Config next) {
        return new LiveState(next, table, vcl, endpoints, faults);
    }

    LiveState with(Table next) {
        return new LiveState(config, next, vcl, endpoints, faults);
    }

    LiveState with(Vcl next) {
        return new LiveState(config, table, next, endpoints, faults);
    }

    LiveState with(Endpoints next) {
        return new LiveState(config, table, vcl, next, faults);
    }

    LiveState withFaults(Map<String, String> next) {
        return new LiveState(config, table, vcl, endpoints, next);
    }
}
