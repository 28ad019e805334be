package dev.shellac.translate.plan;

import static dev.shellac.translate.plan.JsonSize.bracket;
import static dev.shellac.translate.plan.JsonSize.digits;
import static dev.shellac.translate.plan.JsonSize.field;
import static dev.shellac.translate.plan.JsonSize.line;
import static dev.shellac.translate.plan.JsonSize.number;
import static dev.shellac.translate.plan.JsonSize.object;
import static dev.shellac.translate.plan.JsonSize.text;
import static dev.shellac.translate.plan.JsonSize.texts;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.policy.CachePolicy.CacheKey;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.CacheRules;
import dev.shellac.translate.resolve.NormalPath;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many bytes a route takes in routing.json at most, computed before anything is built. An entry is written for each hostname, match and backend, each with
 * the filters of its rule, so a small route can become a large table. It follows the encoder line by line and leaves out what depends on other routes: a host
 * is counted for each route that names it. The route's part of ghost.json is never larger.
 */
public final class RouteSize {
    /** For one route in one Gateway. */
    public static final long MOST_BYTES = 1 << 20;

    private static final int ENTRY = 4;
    private static final int DEPTH = ENTRY + 1;
    // The lines around the entries of a host, and its place among others: 2 are {"routes": [ and its end.
    private static final long HOST = line(2) + ": {".length() + field(3, "routes", 1) + bracket(3) + bracket(2);
    // More matches than that below one hostname are more than a table holds.
    private static final long PRIORITY = 8;
    private static final long DURATION = 20;
    private static final long SCOPE = 34;

    private final RouteTask task;
    private final FilterSize filters;

    private RouteSize(RouteTask task) {
        this.task = task;
        this.filters = new FilterSize(ref -> target(ref, DEPTH + 3));
    }

    static Optional<Refusal> refusal(RouteTask task) {
        var size = new RouteSize(task);
        return task.placements().values().stream()
                .filter(placement -> size.bytes(placement) > MOST_BYTES)
                .findFirst()
                .map(size::refusal)
                .or(() -> PatternSize.refusal(task));
    }

    /** What the route takes in each of its Gateways; nothing where it is refused for its own size. */
    public static SortedMap<Name, Long> of(RouteTask task) {
        var size = new RouteSize(task);
        var sizes = new TreeMap<Name, Long>();
        task.placements().forEach((gateway, placement) -> sizes.put(gateway, size.bytes(placement)));
        boolean isServed = sizes.values().stream().allMatch(bytes -> bytes <= MOST_BYTES)
                && PatternSize.refusal(task).isEmpty();
        return isServed ? sizes : new TreeMap<>();
    }

    private Refusal refusal(RouteTask.Placement placement) {
        int hosts = placement.listeners().size();
        long entries = task.rules().stream()
                .mapToLong(rule -> (long) rule.matches().size() * entries(rule))
                .sum();
        return new Refusal(
                Reason.UNSUPPORTED_VALUE,
                "the route is too large: " + hosts + " hostnames x " + entries
                        + " entries (one for each match and backend) = " + hosts * entries + " entries of "
                        + bytes(placement) / Math.max(1, hosts * entries) + " bytes on average, together "
                        + bytes(placement) + " bytes of " + MOST_BYTES
                        + ": split it, or use fewer hostnames, matches, backends or shorter filters");
    }

    private static int entries(Rule rule) {
        return Math.max(1, rule.backends().size());
    }

    private long bytes(RouteTask.Placement placement) {
        long bytes = 0;
        for (int i = 0; i < task.rules().size(); i++) {
            Optional<CacheRules> cache = task.caches().get(i).or(placement::cache);
            bytes += bytes(i, cache, placement);
        }
        for (Hostname host : placement.listeners().keySet()) {
            bytes += HOST + text(host.value());
        }
        return bytes;
    }

    private long bytes(int index, Optional<CacheRules> cache, RouteTask.Placement placement) {
        Rule rule = task.rules().get(index);
        long entries = entries(rule);
        long matches = rule.matches().size();
        long once = 2 * bracket(ENTRY)
                + filters.of("filters", rule.filters())
                + origin(index, rule)
                + limits(rule)
                + cache.map(RouteSize::cache).orElse(0L);
        long backends = rule.backends().isEmpty() ? field(DEPTH, "service", "") + number(DEPTH, "weight", 0) : 0;
        for (BackendRef ref : rule.backends()) {
            backends += target(ref, DEPTH)
                    + number(DEPTH, "weight", ref.weight())
                    + filters.of("backend_filters", ref.filters());
        }
        long all = matches * (entries * once + backends);
        for (Match match : rule.matches()) {
            all += entries * match(match);
        }
        long placed = 0;
        for (var host : placement.listeners().entrySet()) {
            placed += all
                    + matches
                            * entries
                            * (field(DEPTH, "hostname", host.getKey().value())
                                    + texts(DEPTH, "listeners", host.getValue()));
        }
        return placed;
    }

    private long origin(int index, Rule rule) {
        long numbers = number(DEPTH + 1, "rule", index)
                + number(DEPTH + 1, "match", rule.matches().size());
        return field(DEPTH, "route_name", task.route().toString())
                + rule.name().map(name -> field(DEPTH, "rule_name", name)).orElse(0L)
                + object(DEPTH, "origin", numbers)
                + field(DEPTH, "priority", PRIORITY)
                + number(DEPTH, "rule_index", index);
    }

    private static long limits(Rule rule) {
        boolean isTimed = rule.timeouts().request().isPresent()
                || rule.timeouts().backendRequest().isPresent();
        long timeouts = isTimed
                ? object(
                        DEPTH,
                        "timeouts",
                        field(DEPTH + 1, "request_ms", DURATION) + field(DEPTH + 1, "backend_request_ms", DURATION))
                : 0;
        return timeouts
                + rule.retry()
                        .map(retry -> object(
                                DEPTH,
                                "retry",
                                number(DEPTH + 1, "attempts", retry.attempts())
                                        + object(
                                                DEPTH + 1,
                                                "codes",
                                                retry.codes().stream()
                                                        .mapToLong(code -> line(DEPTH + 2) + digits(code))
                                                        .sum())
                                        + field(DEPTH + 1, "backoff_ms", DURATION)))
                        .orElse(0L);
    }

    private static long match(Match match) {
        long path = switch (NormalPath.of(match.path())) {
            case PathMatch.Exact exact -> path("Exact", exact.path());
            case PathMatch.Prefix prefix -> prefix.isRoot() ? 0 : path("PathPrefix", prefix.path());
            case PathMatch.Pattern pattern -> path("RegularExpression", pattern.regex());
        };
        long headers = 0;
        for (Match.HeaderMatch header : match.headers()) {
            headers += value(header.name(), header.value());
        }
        long params = 0;
        for (Match.QueryMatch param : match.queryParams()) {
            params += value(param.name(), param.value());
        }
        return path
                + match.method().map(method -> field(DEPTH, "method", method)).orElse(0L)
                + (headers == 0 ? 0 : object(DEPTH, "headers", headers))
                + (params == 0 ? 0 : object(DEPTH, "query_params", params));
    }

    private static long path(String type, String value) {
        return object(DEPTH, "path_match", field(DEPTH + 1, "type", type) + field(DEPTH + 1, "value", value));
    }

    private static long value(String name, ValueMatch match) {
        int depth = DEPTH + 2;
        return 2 * bracket(DEPTH + 1)
                + field(depth, "name", name)
                + switch (match) {
                    case ValueMatch.Exact exact -> field(depth, "value", exact.value()) + field(depth, "type", "Exact");
                    case ValueMatch.Pattern pattern ->
                        field(depth, "value", pattern.regex()) + field(depth, "type", "RegularExpression");
                };
    }

    private long target(BackendRef ref, int depth) {
        if (!(task.backend(ref) instanceof Backend.Serving serving)) {
            return field(depth, "service", "") + field(depth, "invalid", "true".length());
        }
        return field(depth, "service", serving.service().name())
                + field(depth, "namespace", serving.service().namespace())
                + number(depth, "port", 65_535)
                + serving.portName()
                        .map(name -> field(depth, "port_name", name))
                        .orElse(0L)
                + number(depth, "service_port", serving.port().value())
                + serving.tls()
                        .map(tls -> object(
                                depth,
                                "backend_tls",
                                field(depth + 1, "hostname", tls.hostname().value())))
                        .orElse(0L);
    }

    private static long cache(CacheRules cache) {
        int depth = DEPTH + 1;
        CacheKey key = cache.cacheKey();
        long keys = texts(depth + 1, "headers", key.headers())
                + texts(depth + 1, "query_params_include", key.includeParams())
                + texts(depth + 1, "query_params_exclude", key.excludeParams());
        long bypass = cache.bypass().stream()
                .mapToLong(header -> 2 * bracket(depth + 1)
                        + field(depth + 2, "name", header.name())
                        + header.valueRegex()
                                .map(regex -> field(depth + 2, "value_regex", regex))
                                .orElse(0L))
                .sum();
        return object(
                DEPTH,
                "cache_policy",
                field(depth, "default_ttl_seconds", DURATION)
                        + field(depth, "forced_ttl_seconds", DURATION)
                        + number(depth, "grace_seconds", cache.graceSeconds())
                        + number(depth, "keep_seconds", cache.keepSeconds())
                        + object(depth, "cache_key", keys)
                        + object(depth, "bypass_headers", bypass)
                        + field(depth, "scope", SCOPE));
    }
}
