package dev.shellac.explain.table;

import dev.shellac.explain.table.Route.Target;
import dev.shellac.explain.table.Table.Scheme;
import java.util.List;
import java.util.Optional;

/** What is done to a request and its response. */
public record Filters(
        List<Edit> request,
        List<Edit> response,
        Optional<String> hostname,
        Optional<PathEdit> path,
        Optional<Redirect> redirect,
        Optional<Cors> cors,
        List<Mirror> mirrors) {
    public static final Filters NONE = new Filters(
            List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), List.of());

    /** An edit of a header; the value of a removal is empty. */
    public record Edit(Operation operation, String name, String value) {
        @Override
        public String toString() {
            return operation == Operation.REMOVE ? operation + " " + name : operation + " " + name + ": " + value;
        }
    }

    /** What is done to a header. */
    public enum Operation {
        REMOVE("remove"),
        SET("set"),
        ADD("add");

        private final String text;

        Operation(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** What becomes of a path. */
    public sealed interface PathEdit {
        String apply(String path);

        /** Another path. */
        record Full(String replacement) implements PathEdit {
            @Override
            public String apply(String path) {
                return rooted(replacement);
            }
        }

        /**
         * Another beginning.
         *
         * @param stripped how many characters the matched prefix has, without trailing slash
         */
        record Prefix(int stripped, String replacement) implements PathEdit {
            @Override
            public String apply(String path) {
                String with = rooted(replacement);
                while (with.endsWith("/")) {
                    with = with.substring(0, with.length() - 1);
                }
                String rest = path.length() < stripped ? "" : path.substring(stripped);
                return with.isEmpty() && rest.isEmpty() ? "/" : with + rest;
            }
        }

        private static String rooted(String path) {
            return path.startsWith("/") ? path : "/" + path;
        }
    }

    /** An answer that sends the client elsewhere. */
    public record Redirect(
            int status,
            Optional<Scheme> scheme,
            Optional<String> hostname,
            Optional<Integer> port,
            Optional<PathEdit> path) {}

    /** Which pages of other origins may read the answer. */
    public record Cors(
            List<String> origins,
            List<String> methods,
            List<String> headers,
            List<String> expose,
            boolean credentials,
            long maxAgeSeconds) {
        public Cors {
            origins = List.copyOf(origins);
            methods = List.copyOf(methods);
            headers = List.copyOf(headers);
            expose = List.copyOf(expose);
        }
    }

    /** A copy of a share of the requests. */
    public record Mirror(Target target, long numerator, long denominator) {
        public boolean isOfAll() {
            return numerator >= denominator;
        }
    }

    public Filters {
        request = List.copyOf(request);
        response = List.copyOf(response);
        mirrors = List.copyOf(mirrors);
    }
}
