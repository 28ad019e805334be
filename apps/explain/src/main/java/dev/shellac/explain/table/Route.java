package dev.shellac.explain.table;

import com.google.re2j.Pattern;
import dev.shellac.explain.table.Table.Pool;
import java.util.List;
import java.util.Optional;

/**
 * One route: what it accepts, and what becomes of what it accepts.
 *
 * @param place its position in the host's list, as it is written
 * @param listeners keys or public names; none means all
 * @param cache none means that every request goes to the backend
 */
public record Route(
        int place,
        Origin origin,
        Conditions conditions,
        List<String> listeners,
        Filters filters,
        Traffic traffic,
        Optional<CachePolicy> cache) {
    /** Where it came from: {@code namespace/name}, the rule in it and the match in that. */
    public record Origin(String name, Optional<String> ruleName, int rule, int match) {
        public static final Origin UNKNOWN = new Origin("", Optional.empty(), 0, 0);
    }

    /** What a request must be like. */
    public record Conditions(PathRule path, Optional<String> method, List<NamedRule> headers, List<NamedRule> query) {
        public static final Conditions NONE =
                new Conditions(new PathRule.Any(), Optional.empty(), List.of(), List.of());

        public Conditions {
            headers = List.copyOf(headers);
            query = List.copyOf(query);
        }
    }

    /** Which paths it is for. */
    public sealed interface PathRule {
        /** Every path. */
        record Any() implements PathRule {}

        /** This one. */
        record Exact(String path) implements PathRule {}

        /** This one and all below it; without trailing slash. */
        record Prefix(String path) implements PathRule {}

        /** Those that the expression fits. */
        record Matching(Expression expression) implements PathRule {}
    }

    /** A header or query parameter, and the value that it must have. */
    public record NamedRule(String name, ValueRule value) {}

    /** Which values count. */
    public sealed interface ValueRule {
        /** This one. */
        record Exact(String value) implements ValueRule {}

        /** Those that the expression fits. */
        record Matching(Expression expression) implements ValueRule {}
    }

    /** A regular expression, and whether it must cover the whole value or be found anywhere in it. */
    public static final class Expression {
        private final Pattern pattern;
        private final Coverage coverage;

        private Expression(Pattern pattern, Coverage coverage) {
            this.pattern = pattern;
            this.coverage = coverage;
        }

        static Expression of(String source, Coverage coverage) {
            return new Expression(Pattern.compile(source), coverage);
        }

        public boolean fits(String value) {
            return switch (coverage) {
                case SEARCH -> pattern.matcher(value).find();
                case FULL -> pattern.matches(value);
            };
        }

        @Override
        public String toString() {
            return pattern.pattern();
        }
    }

    /** How an expression is applied. */
    public enum Coverage {
        SEARCH,
        FULL
    }

    /** Backends and how they are spoken to. */
    public record Traffic(List<Group> groups, Timeouts timeouts, Optional<Retry> retry, long bufferBytes) {
        public Traffic {
            groups = List.copyOf(groups);
        }
    }

    /** A share of the requests, and where it goes. */
    public record Group(int weight, Target target, int onEmpty, Optional<String> service, Filters filters) {}

    /** Where requests go. */
    public sealed interface Target {
        /** Nowhere: answered with 500. */
        record Invalid() implements Target {}

        /** Endpoints of its own. */
        record Inline(Pool pool) implements Target {}

        /** A pool of the table. */
        record Named(String pool) implements Target {}
    }

    /** In milliseconds; absent is the proxy's own setting, 0 is no limit. */
    public record Timeouts(
            Optional<Long> connect,
            Optional<Long> firstByte,
            Optional<Long> betweenBytes,
            Optional<Long> request,
            Optional<Long> backendRequest) {}

    /** When a request is tried again. */
    public record Retry(int attempts, List<Integer> codes, boolean connectionErrors, long backoffMs) {
        public Retry {
            codes = List.copyOf(codes);
        }
    }

    public Route {
        listeners = List.copyOf(listeners);
    }
}
