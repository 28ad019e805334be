package dev.shellac.explain.table;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A whole table.
 *
 * @param sockets socket to public port to keys of listeners; without it each socket is its own listener
 * @param listeners by key; one that only a socket names has all defaults
 */
public record Table(
        Optional<Map<String, Map<Integer, List<String>>>> sockets,
        Map<String, Listener> listeners,
        Map<String, Pool> pools,
        List<Host> hosts) {
    /**
     * A listener.
     *
     * @param name public name, where it is not made of scheme and port
     */
    public record Listener(Optional<String> name, HostPattern hostname, Scheme scheme) {
        public static final Listener PLAIN = new Listener(Optional.empty(), HostPattern.ANY, Scheme.HTTP);
    }

    /** A host and its routes, in the order in which they are tried. */
    public record Host(String name, HostPattern pattern, List<Route> routes) {
        public Host {
            routes = List.copyOf(routes);
        }
    }

    /** Endpoints, each once, in order. */
    public record Pool(List<String> endpoints, Select select) {
        public static final Pool EMPTY = new Pool(List.of(), Select.RANDOM);

        public Pool {
            endpoints = endpoints.stream().distinct().toList();
        }
    }

    /** How an endpoint is chosen. */
    public enum Select {
        RANDOM,
        HASH
    }

    /** What a listener speaks. */
    public enum Scheme {
        HTTP("http", 80),
        HTTPS("https", 443);

        private final String text;
        private final int port;

        Scheme(String text, int port) {
            this.text = text;
            this.port = port;
        }

        public int port() {
            return port;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public Table {
        hosts = List.copyOf(hosts);
    }
}
