package dev.shellac.explain;

import dev.shellac.explain.table.Route;
import dev.shellac.explain.table.Table.Host;
import dev.shellac.explain.table.Table.Scheme;
import java.util.List;
import java.util.Optional;

/**
 * Who takes a request, and why nobody else does.
 *
 * @param listener that owns the request
 * @param others every other route of the hosts that cover the request's, in the order in which they are tried
 */
public record Explanation(Optional<Owner> listener, Verdict verdict, List<Other> others) {
    /** What it came to. */
    public sealed interface Verdict {
        /** A route takes it. */
        record Taken(Host host, Route route) implements Verdict {}

        /** Nobody does. */
        record Missed(Miss miss) implements Verdict {}
    }

    /** Why nobody takes a request. */
    public enum Miss {
        FREED_SOCKET(404, "freed-socket", "the socket serves no port"),
        NO_LISTENER(404, "no-listener", "no listener has this port and host"),
        MISDIRECTED(421, "misdirected", "the TLS connection was made for another listener"),
        NO_HOST(404, "no-host", "no route is for this host"),
        NO_ROUTE(404, "no-route", "routes are for this host, but none takes this request");

        private final int status;
        private final String word;
        private final String sentence;

        Miss(int status, String word, String sentence) {
            this.status = status;
            this.word = word;
            this.sentence = sentence;
        }

        public int status() {
            return status;
        }

        public String sentence() {
            return sentence;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /**
     * The listener of a request.
     *
     * @param key in the table; the socket's name where the table has no sockets
     * @param port the public one, if known
     */
    public record Owner(String key, String name, Scheme scheme, Optional<Integer> port) {}

    /**
     * A route that did not get the request.
     *
     * @param mismatch what it asks for and the request lacks; nothing where it would take the request, too, but comes later
     */
    public record Other(Host host, Route route, Optional<String> mismatch) {}

    public Explanation {
        others = List.copyOf(others);
    }
}
