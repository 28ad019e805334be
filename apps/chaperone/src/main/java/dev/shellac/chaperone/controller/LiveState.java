package dev.shellac.chaperone.controller;

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
 * @param edge what terminates TLS
 * @param faults by place, what is wrong that no route is to blame for
 */
public record LiveState(
        Config config, Table table, Vcl vcl, Endpoints endpoints, Edge edge, Map<String, String> faults) {
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

    /**
     * A part of the table that was refused, by where it came from.
     *
     * @param vhost empty where it concerns all hosts of the route
     * @param effect such as {@code route-omitted}
     */
    public record Refusal(
            String vhost,
            String route,
            Optional<Integer> rule,
            Optional<Integer> match,
            String field,
            String effect,
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

    /**
     * HAProxy.
     *
     * @param wanted there is something to terminate
     * @param hash of the haproxy.cfg that is in use; there only while a process is
     * @param refused HAProxy's words about a newer configuration, or why there is none
     * @param certificates one hash for all files of certificates, lists and authorities, those that are left out included; there only while a process is
     * @param shown how many certificates it shows
     * @param leftOut those that HAProxy does not take: name and its words
     */
    public record Edge(
            boolean wanted,
            Optional<String> hash,
            Optional<String> refused,
            Optional<String> certificates,
            int shown,
            Map<String, String> leftOut) {
        public Edge {
            leftOut = Map.copyOf(leftOut);
        }

        /** There is something to terminate, and nobody does. */
        public boolean isMissing() {
            return wanted && hash.isEmpty();
        }
    }

    static final LiveState NOTHING = new LiveState(
            new Config(Optional.empty(), Optional.empty()),
            new Table(Optional.empty(), 0, 0, List.of()),
            new Vcl(Optional.empty(), Optional.empty(), Optional.empty()),
            new Endpoints(Set.of(), Set.of()),
            new Edge(false, Optional.empty(), Optional.empty(), Optional.empty(), 0, Map.of()),
            Map.of());

    public LiveState {
        faults = Map.copyOf(faults);
    }

    /** Requests are served as some configuration says. */
    public boolean isLive() {
        return table.hash().isPresent() && vcl.name().isPresent();
    }
}
