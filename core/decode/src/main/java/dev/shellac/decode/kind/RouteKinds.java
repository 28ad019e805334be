package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.text;
import static dev.shellac.decode.schema.Schema.whole;

import dev.shellac.decode.kind.KindDecoder.Scope;
import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.gateway.DefaultScope;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Retry;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.SessionPersistence;
import dev.shellac.model.route.Timeouts;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.model.status.RouteStatus;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** HTTPRoute. */
final class RouteKinds {
    private static final int MOST_MATCHES = 128;
    private static final Map<String, String> ANY_PATH = Map.of("type", "PathPrefix", "value", "/");
    private static final List<String> NOT_IN_A_PATH = List.of("//", "/./", "/../", "%2f", "%2F", "#");
    private static final List<String> NOT_AT_ITS_END = List.of("/..", "/.");

    private static final Schema.Fields PATH = path(object(
            defaulted("type", text().oneOf("Exact", "PathPrefix", "RegularExpression"), "PathPrefix"),
            defaulted("value", text().most(1024), "/")));

    private static final Schema.Fields MATCH = object(
            defaulted("path", PATH, ANY_PATH),
            optional("headers", valueMatches(Names.HEADER_VALUE)),
            optional("queryParams", valueMatches(text().length(1, 1024))),
            optional(
                    "method",
                    text().oneOf("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH")));

    private static final Schema.Fields TIMEOUTS = object(
                    optional("backendRequest", Names.DURATION), optional("request", Names.DURATION))
            .rule("backendRequest timeout cannot be longer than request timeout", RouteKinds::timeoutsAgree);

    private static final Schema.Fields RETRY = object(
            defaulted("attempts", whole().between(0, Integer.MAX_VALUE), 1),
            optional("backoff", Names.DURATION),
            optional("codes", list(whole().between(400, 599)).distinct()));

    private static final Schema.Fields SESSION = object(
                    optional("absoluteTimeout", Names.DURATION),
                    optional(
                            "cookie",
                            object(
                                    defaulted("lifetimeType", text().oneOf("Permanent", "Session"), "Session"),
                                    optional("name", Names.HEADER_NAME),
                                    defaulted("path", text().most(1024), "/"))),
                    optional("header", object(required("name", Names.HEADER_NAME))),
                    defaulted("type", text().oneOf("Cookie", "Header"), "Cookie"))
            .rule(
                    "AbsoluteTimeout must be specified when cookie lifetimeType is Permanent",
                    session -> session.has("absoluteTimeout")
                            || !session.optionalObject("cookie")
                                    .map(cookie -> cookie.is("lifetimeType", "Permanent"))
                                    .orElse(false))
            .rule(
                    "cookie must be specified for Cookie type, and for no other",
                    session -> session.has("cookie") == session.is("type", "Cookie"))
            .rule(
                    "header must be specified for Header type, and for no other",
                    session -> session.has("header") == session.is("type", "Header"));

    private static final Schema.Fields BACKEND = RouteFilters.backend(object(
            defaulted("group", Names.GROUP, ""),
            defaulted("kind", Names.KIND, "Service"),
            required("name", Names.NAME),
            optional("namespace", Names.NAMESPACE),
            optional("port", Names.PORT),
            defaulted("weight", whole().between(0, 1_000_000), 1),
            optional("filters", RouteFilters.FILTERS)));

    private static final Schema.Fields RULE = rule(object(
            optional("name", Names.SECTION),
            defaulted("matches", list(MATCH).most(64), List.of(Map.of("path", ANY_PATH))),
            optional("filters", RouteFilters.FILTERS),
            optional("backendRefs", list(BACKEND).most(16)),
            optional("retry", RETRY),
            optional("sessionPersistence", SESSION),
            optional("timeouts", TIMEOUTS)));

    private static final Schema.Items PARENTS = list(object(
                    defaulted("group", Names.GROUP, Names.GATEWAY_API),
                    defaulted("kind", Names.KIND, "Gateway"),
                    required("name", Names.NAME),
                    optional("namespace", Names.NAMESPACE),
                    optional("sectionName", Names.SECTION),
                    optional("port", Names.PORT)))
            .most(32)
            .rule(
                    "sectionName or port must be specified when parentRefs includes 2 or more references to the same parent",
                    RouteKinds::saySectionAlike)
            .rule(
                    "sectionName or port must be unique when parentRefs includes 2 or more references to the same parent",
                    RouteKinds::areDistinct);

    static final KindDecoder HTTP_ROUTE = new KindDecoder(
                    GroupKind.HTTP_ROUTE,
                    List.of("v1", "v1beta1"),
                    Scope.NAMESPACED,
                    object(
                            required(
                                    "spec",
                                    object(
                                            optional(
                                                    "hostnames",
                                                    list(Names.HOSTNAME).most(16)),
                                            optional("parentRefs", PARENTS),
                                            optional("useDefaultGateways", text().oneOf("All", "None")),
                                            defaulted(
                                                    "rules",
                                                    list(RULE)
                                                            .size(1, 16)
                                                            .rule(
                                                                    "Rule name must be unique within the route",
                                                                    RouteKinds::namesAreUnique)
                                                            .rule(
                                                                    "While 16 rules and 64 matches per rule are allowed, the total"
                                                                            + " number of matches across all rules in a route must be"
                                                                            + " less than 128",
                                                                    rules -> rules.stream()
                                                                                    .mapToInt(rule -> rule.objects(
                                                                                                    "matches")
                                                                                            .size())
                                                                                    .sum()
                                                                            <= MOST_MATCHES),
                                                    List.of(Map.of("matches", List.of(Map.of("path", ANY_PATH))))))),
                            optional("status", Statuses.ROUTE)),
                    RouteKinds::route)
            .withOutline(
                    object(
                            required(
                                    "spec",
                                    object(optional("parentRefs", PARENTS)).open()),
                            optional("status", Statuses.ROUTE)),
                    RouteKinds::outline);

    private RouteKinds() {}

    private static Schema.Items valueMatches(Schema.Text value) {
        return list(object(
                        required("name", Names.HEADER_NAME),
                        defaulted("type", text().oneOf("Exact", "RegularExpression"), "Exact"),
                        required("value", value)))
                .most(16)
                .uniqueBy("name");
    }

    private static Schema.Fields path(Schema.Fields schema) {
        Schema.Fields ruled = schema.rule(
                "value must be an absolute path and start with '/' when type one of ['Exact', 'PathPrefix']",
                path -> isPattern(path) || path.text("value").startsWith("/"));
        for (String part : NOT_IN_A_PATH) {
            ruled = ruled.rule(
                    "must not contain '" + part + "' when type one of ['Exact', 'PathPrefix']",
                    path -> isPattern(path) || !path.text("value").contains(part));
        }
        for (String end : NOT_AT_ITS_END) {
            ruled = ruled.rule(
                    "must not end with '" + end + "' when type one of ['Exact', 'PathPrefix']",
                    path -> isPattern(path) || !path.text("value").endsWith(end));
        }
        return ruled.rule(
                "must only contain valid characters (matching " + RouteFilters.PATH.source()
                        + ") for types ['Exact', 'PathPrefix']",
                path -> isPattern(path) || RouteFilters.PATH.accepts(path.text("value")));
    }

    private static boolean isPattern(ValidObject path) {
        return path.is("type", "RegularExpression");
    }

    private static Schema.Fields rule(Schema.Fields schema) {
        return schema.rule(
                        "RequestRedirect filter must not be used together with backendRefs",
                        rule -> rule.objects("backendRefs").isEmpty()
                                || rule.objects("filters").stream().noneMatch(filter -> filter.has("requestRedirect")))
                .rule(
                        "When using RequestRedirect filter with path.replacePrefixMatch, exactly one PathPrefix match must"
                                + " be specified",
                        rule -> !replacesPrefix(Stream.of(rule), "requestRedirect") || hasOnePrefix(rule))
                .rule(
                        "When using URLRewrite filter with path.replacePrefixMatch, exactly one PathPrefix match must be"
                                + " specified",
                        rule -> !replacesPrefix(Stream.of(rule), "urlRewrite") || hasOnePrefix(rule))
                .rule(
                        "Within backendRefs, when using RequestRedirect filter with path.replacePrefixMatch, exactly one"
                                + " PathPrefix match must be specified",
                        rule -> !replacesPrefix(rule.objects("backendRefs").stream(), "requestRedirect")
                                || hasOnePrefix(rule))
                .rule(
                        "Within backendRefs, When using URLRewrite filter with path.replacePrefixMatch, exactly one"
                                + " PathPrefix match must be specified",
                        rule -> !replacesPrefix(rule.objects("backendRefs").stream(), "urlRewrite")
                                || hasOnePrefix(rule));
    }

    // The originals ask whether exactly one holder has such a filter: with two, the rule says nothing.
    private static boolean replacesPrefix(Stream<ValidObject> holders, String filter) {
        return holders.filter(holder -> holder.objects("filters").stream()
                                        .flatMap(found -> found.optionalObject(filter).stream())
                                        .flatMap(found -> found.optionalObject("path").stream())
                                        .filter(path -> path.has("replacePrefixMatch"))
                                        .count()
                                == 1)
                        .count()
                == 1;
    }

    private static boolean hasOnePrefix(ValidObject rule) {
        List<ValidObject> matches = rule.objects("matches");
        return matches.size() == 1 && matches.getFirst().object("path").is("type", "PathPrefix");
    }

    private static boolean namesAreUnique(List<ValidObject> rules) {
        var seen = new HashSet<String>();
        return rules.stream()
                .flatMap(rule -> rule.optionalText("name").stream())
                .allMatch(seen::add);
    }

    private static List<Object> parent(ValidObject ref) {
        return List.of(ref.text("group"), ref.text("kind"), ref.text("name"), ref.optionalText("namespace"));
    }

    private static boolean saySectionAlike(List<ValidObject> refs) {
        return refs.stream()
                .allMatch(one -> refs.stream()
                        .filter(other -> parent(one).equals(parent(other)))
                        .allMatch(other -> one.has("sectionName") == other.has("sectionName")
                                && one.has("port") == other.has("port")));
    }

    private static boolean areDistinct(List<ValidObject> refs) {
        var seen = new HashSet<List<Object>>();
        return refs.stream()
                .allMatch(ref ->
                        seen.add(List.of(parent(ref), ref.optionalText("sectionName"), ref.optionalWhole("port"))));
    }

    private static boolean timeoutsAgree(ValidObject timeouts) {
        Optional<Duration> request = duration(timeouts, "request").filter(limit -> !limit.isZero());
        Optional<Duration> attempt = duration(timeouts, "backendRequest");
        return request.isEmpty() || attempt.isEmpty() || attempt.get().compareTo(request.get()) <= 0;
    }

    private static Optional<Duration> duration(ValidObject object, String field) {
        return object.optionalText(field).flatMap(Durations::parse);
    }

    private static HttpRoute route(Metadata meta, ValidObject object) {
        ValidObject spec = object.object("spec");
        return new HttpRoute(
                meta,
                spec.objects("parentRefs").stream().map(RouteKinds::parentRef).toList(),
                spec.texts("hostnames").stream().map(Names::hostname).toList(),
                spec.objects("rules").stream().map(RouteKinds::ruleOf).toList(),
                GatewayKinds.scope(spec, "useDefaultGateways"),
                object.optionalObject("status").map(Statuses::ofRoute).orElse(RouteStatus.NONE));
    }

    private static HttpRoute outline(Metadata meta, ValidObject object) {
        return new HttpRoute(
                meta,
                object.object("spec").objects("parentRefs").stream()
                        .map(RouteKinds::parentRef)
                        .toList(),
                List.of(),
                List.of(),
                DefaultScope.NONE,
                object.optionalObject("status").map(Statuses::ofRoute).orElse(RouteStatus.NONE));
    }

    private static ParentRef parentRef(ValidObject object) {
        return new ParentRef(
                Names.type(object),
                object.optionalText("namespace"),
                object.text("name"),
                object.optionalText("sectionName"),
                Names.port(object, "port"));
    }

    private static Rule ruleOf(ValidObject object) {
        // An empty list of matches is what no list at all would have been given.
        List<Match> matches =
                object.objects("matches").stream().map(RouteKinds::match).toList();
        return new Rule(
                object.optionalText("name"),
                matches.isEmpty()
                        ? List.of(new Match(PathMatch.EVERYTHING, List.of(), List.of(), Optional.empty()))
                        : matches,
                RouteFilters.all(object),
                object.objects("backendRefs").stream()
                        .map(RouteFilters::backendRef)
                        .toList(),
                object.optionalObject("timeouts")
                        .map(limits -> new Timeouts(duration(limits, "request"), duration(limits, "backendRequest")))
                        .orElse(Timeouts.NONE),
                object.optionalObject("retry")
                        .map(retry ->
                                new Retry(retry.whole("attempts"), retry.wholes("codes"), duration(retry, "backoff"))),
                object.optionalObject("sessionPersistence")
                        .map(session -> new SessionPersistence(session.text("type"))));
    }

    private static Match match(ValidObject object) {
        ValidObject path = object.object("path");
        String value = path.text("value");
        return new Match(
                switch (path.text("type")) {
                    case "Exact" -> new PathMatch.Exact(value);
                    case "PathPrefix" -> new PathMatch.Prefix(value);
                    default -> new PathMatch.Pattern(value);
                },
                object.objects("headers").stream()
                        .map(header -> new Match.HeaderMatch(header.text("name"), value(header)))
                        .toList(),
                object.objects("queryParams").stream()
                        .map(query -> new Match.QueryMatch(query.text("name"), value(query)))
                        .toList(),
                object.optionalText("method"));
    }

    private static ValueMatch value(ValidObject object) {
        return object.is("type", "Exact")
                ? new ValueMatch.Exact(object.text("value"))
                : new ValueMatch.Pattern(object.text("value"));
    }
}
