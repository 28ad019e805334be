package dev.shellac.explain.table;

import dev.shellac.explain.table.CachePolicy.Bypass;
import dev.shellac.explain.table.CachePolicy.Personal;
import dev.shellac.explain.table.CachePolicy.PurgeKey;
import dev.shellac.explain.table.CachePolicy.Ttl;
import dev.shellac.explain.table.Refusal.Effect;
import dev.shellac.explain.table.Route.Conditions;
import dev.shellac.explain.table.Route.Coverage;
import dev.shellac.explain.table.Route.Expression;
import dev.shellac.explain.table.Route.Group;
import dev.shellac.explain.table.Route.NamedRule;
import dev.shellac.explain.table.Route.Origin;
import dev.shellac.explain.table.Route.PathRule;
import dev.shellac.explain.table.Route.Retry;
import dev.shellac.explain.table.Route.Target;
import dev.shellac.explain.table.Route.Timeouts;
import dev.shellac.explain.table.Route.Traffic;
import dev.shellac.explain.table.Route.ValueRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Reads the routes of one host. */
record RouteReader(String host, List<Refusal> refusals) {
    private static final long BUFFER_BYTES = 1_048_576;
    private static final int INVALID = 500;
    private static final int UNAVAILABLE = 503;
    private static final Timeouts NO_TIMEOUTS =
            new Timeouts(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    // The format: precedence is the order of the list, unless that contradicts priority and rule_index.
    private static final Comparator<Json> ORDER = Comparator.<Json, Long>comparing(
                    route -> route.number("priority").orElse(0L))
            .reversed()
            .thenComparing(route -> route.number("rule_index").orElse(0L));

    List<Route> routes(Json vhost) {
        record Placed(int place, Json json) {}
        var placed = new ArrayList<Placed>();
        List<Json> written = vhost.list("routes");
        for (int i = 0; i < written.size(); i++) {
            int place = i;
            if (refusals.stream().noneMatch(refusal -> refusal.isOf(Effect.ROUTE_OMITTED, host, place))) {
                placed.add(new Placed(i, written.get(i)));
            }
        }
        placed.sort(Comparator.comparing(Placed::json, ORDER));
        var routes = new ArrayList<Route>();
        placed.forEach(found -> routes.add(route(found.place(), found.json())));
        boolean badDefault = refusals.stream()
                .anyMatch(refusal -> refusal.effect() == Effect.ROUTE_OMITTED
                        && refusal.host().equals(host)
                        && refusal.place().isEmpty());
        if (!vhost.list("default_backends").isEmpty() && !badDefault) {
            routes.add(byDefault(written.size(), vhost));
        }
        return routes;
    }

    private static Route byDefault(int place, Json vhost) {
        var all = new Target.Inline(
                new Table.Pool(Endpoints.keys(vhost.list("default_backends"), Optional.empty()), Table.Select.RANDOM));
        var group = new Group(1, all, INVALID, Optional.empty(), Filters.NONE);
        return new Route(
                place,
                Origin.UNKNOWN,
                Conditions.NONE,
                List.of(),
                Filters.NONE,
                new Traffic(List.of(group), NO_TIMEOUTS, Optional.empty(), 0),
                Optional.empty());
    }

    private Route route(int place, Json json) {
        Coverage coverage = json.text("regex").orElse("search").equals("full") ? Coverage.FULL : Coverage.SEARCH;
        PathRule path =
                json.find("path_match").map(match -> path(match, coverage)).orElseGet(PathRule.Any::new);
        var filters = new FilterReader(path);
        return new Route(
                place,
                origin(json),
                new Conditions(
                        path,
                        json.text("method"),
                        named(json.list("headers"), coverage),
                        named(json.list("query_params"), coverage)),
                json.texts("listeners"),
                json.find("filters").map(filters::read).orElse(Filters.NONE),
                new Traffic(
                        json.list("backend_groups").stream()
                                .map(group -> group(group, filters))
                                .toList(),
                        json.find("timeouts").map(RouteReader::timeouts).orElse(NO_TIMEOUTS),
                        json.find("retry").map(RouteReader::retry),
                        json.number("buffer_bytes").orElse(BUFFER_BYTES)),
                refusals.stream().anyMatch(refusal -> refusal.isOf(Effect.UNCACHED, host, place))
                        ? Optional.empty()
                        : json.find("cache_policy")
                                .filter(policy -> !policy.flag("pass"))
                                .map(RouteReader::cache));
    }

    private static Origin origin(Json json) {
        Optional<Json> origin = json.find("origin");
        return new Origin(
                json.text("route_name").orElse(""),
                json.text("rule_name"),
                origin.flatMap(found -> found.small("rule")).orElse(0),
                origin.flatMap(found -> found.small("match")).orElse(0));
    }

    private static PathRule path(Json match, Coverage coverage) {
        String value = match.text("value").orElse("");
        return switch (match.text("type").orElse("")) {
            case "Exact" -> new PathRule.Exact(value);
            case "RegularExpression" -> new PathRule.Matching(Expression.of(value, coverage));
            default -> {
                String prefix = value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
                yield prefix.isEmpty() ? new PathRule.Any() : new PathRule.Prefix(prefix);
            }
        };
    }

    private static List<NamedRule> named(List<Json> rules, Coverage coverage) {
        return rules.stream()
                .map(rule -> {
                    String value = rule.text("value").orElse("");
                    return new NamedRule(
                            rule.text("name").orElse(""),
                            rule.text("type").orElse("Exact").equals("Exact")
                                    ? new ValueRule.Exact(value)
                                    : new ValueRule.Matching(Expression.of(value, coverage)));
                })
                .toList();
    }

    private static Group group(Json json, FilterReader filters) {
        int byDefault = json.find("pool").isPresent() ? UNAVAILABLE : INVALID;
        return new Group(
                json.small("weight").orElse(100),
                json.flag("invalid") ? new Target.Invalid() : Endpoints.target(json),
                json.small("on_empty").orElse(byDefault),
                json.text("service"),
                json.find("filters").map(filters::read).orElse(Filters.NONE));
    }

    private static Timeouts timeouts(Json json) {
        return new Timeouts(
                json.number("connect_ms"),
                json.number("first_byte_ms"),
                json.number("between_bytes_ms"),
                json.number("request_ms"),
                json.number("backend_request_ms"));
    }

    private static Retry retry(Json json) {
        return new Retry(
                json.small("attempts").orElse(1),
                json.list("codes").stream().map(code -> code.node().asInt()).toList(),
                json.find("connection_errors").isEmpty() || json.flag("connection_errors"),
                json.number("backoff_ms").orElse(0L));
    }

    private static CachePolicy cache(Json json) {
        Ttl ttl = json.number("forced_ttl_seconds")
                .<Ttl>map(Ttl.Forced::new)
                .or(() -> json.number("default_ttl_seconds").map(Ttl.Default::new))
                .orElseGet(Ttl.Origin::new);
        Optional<Json> key = json.find("cache_key");
        return new CachePolicy(
                ttl,
                json.number("grace_seconds").orElse(0L),
                json.number("keep_seconds").orElse(0L),
                json.number("stale_if_error_seconds").orElse(0L),
                new CachePolicy.Key(
                        key.map(found -> found.texts("headers")).orElse(List.of()),
                        key.map(found -> found.texts("query_params_include")).orElse(List.of()),
                        key.map(found -> found.texts("query_params_exclude")).orElse(List.of())),
                json.list("bypass_headers").stream()
                        .map(header -> new Bypass(
                                header.text("name").orElse(""),
                                header.text("value_regex").map(regex -> Expression.of(regex, Coverage.SEARCH))))
                        .toList(),
                purgeKeys(json),
                new Personal(json.flag("allow_cookies"), json.flag("allow_authorization")));
    }

    private static List<PurgeKey> purgeKeys(Json json) {
        if (json.find("purge_keys").isEmpty()) {
            return List.of(PurgeKey.PATH);
        }
        List<String> named = json.texts("purge_keys");
        var keys = new ArrayList<PurgeKey>();
        if (named.contains("path")) {
            keys.add(PurgeKey.PATH);
        }
        if (named.contains("url")) {
            keys.add(PurgeKey.URL);
        }
        return keys;
    }
}
