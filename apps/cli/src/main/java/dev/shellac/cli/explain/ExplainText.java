package dev.shellac.cli.explain;

import dev.shellac.explain.Answer;
import dev.shellac.explain.Attempt;
import dev.shellac.explain.CacheDecision;
import dev.shellac.explain.Draw;
import dev.shellac.explain.Handling;
import dev.shellac.explain.table.CachePolicy;
import dev.shellac.explain.table.CachePolicy.Ttl;
import dev.shellac.explain.table.Filters;
import dev.shellac.explain.table.Route;
import dev.shellac.explain.table.Route.Conditions;
import dev.shellac.explain.table.Route.Group;
import dev.shellac.explain.table.Route.NamedRule;
import dev.shellac.explain.table.Route.ValueRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The parts of an answer, in words. */
final class ExplainText {
    private ExplainText() {}

    /** What the request had to be like. */
    static List<String> conditions(Route route) {
        Conditions conditions = route.conditions();
        var words = new ArrayList<String>();
        words.add("path: " + Reasons.words(conditions.path()));
        conditions.method().ifPresent(method -> words.add("method: " + method));
        conditions.headers().forEach(rule -> words.add("header: " + rule(rule)));
        conditions.query().forEach(rule -> words.add("query parameter: " + rule(rule)));
        return words;
    }

    private static String rule(NamedRule rule) {
        return switch (rule.value()) {
            case ValueRule.Exact exact -> rule.name() + " is " + exact.value();
            case ValueRule.Matching matching -> rule.name() + " matches " + matching.expression();
        };
    }

    /** What is done on the way, for a request that is forwarded; what a group does by itself is named with the group. */
    static List<String> filters(Handling handling) {
        var words = new ArrayList<String>();
        Filters filters = handling.route().filters();
        filters.path()
                .ifPresent(edit -> words.add(
                        "path becomes " + edit.apply(handling.request().url().path())));
        filters.hostname().ifPresent(host -> words.add("host becomes " + host));
        filters.request().forEach(edit -> words.add("request: " + edit));
        filters.response().forEach(edit -> words.add("response: " + edit));
        filters.cors().ifPresent(cors -> words.add("CORS for " + String.join(", ", cors.origins())));
        filters.mirrors()
                .forEach(mirror ->
                        words.add("a copy of " + mirror.numerator() + " in " + mirror.denominator() + " goes to "
                                + Summary.service(new Group(1, mirror.target(), 500, Optional.empty(), Filters.NONE))));
        Attempt.of(handling.route().traffic().timeouts())
                .flatMap(Attempt::deadline)
                .ifPresent(ms -> words.add("504 after " + ms + " ms"));
        handling.route()
                .traffic()
                .retry()
                .ifPresent(retry -> words.add("tried again up to " + retry.attempts()
                        + (retry.attempts() == 1 ? " time" : " times")
                        + (retry.codes().isEmpty() ? "" : " on " + retry.codes())));
        return words;
    }

    /** What a group adds to the filters of its rule. */
    static List<String> groupFilters(Group group, Handling handling) {
        var words = new ArrayList<String>();
        group.filters()
                .path()
                .ifPresent(edit -> words.add(
                        "path becomes " + edit.apply(handling.request().url().path())));
        group.filters().hostname().ifPresent(host -> words.add("host becomes " + host));
        group.filters().request().forEach(edit -> words.add("request: " + edit));
        group.filters().response().forEach(edit -> words.add("response: " + edit));
        return words;
    }

    /** What becomes of the request in the end. */
    static List<String> outcome(Handling handling) {
        return switch (handling.answer(Draw.LOWEST)) {
            case Answer.Redirected redirected -> List.of(redirected.status() + " to " + redirected.location());
            case Answer.Preflight preflight -> {
                var words = new ArrayList<String>(List.of("200, the answer to a CORS preflight"));
                preflight.headers().forEach(edit -> words.add(edit.name() + ": " + edit.value()));
                yield words;
            }
            case Answer.Invalid invalid -> groups(handling);
            case Answer.Unavailable unavailable -> groups(handling);
            case Answer.Forwarded forwarded -> groups(handling);
        };
    }

    private static List<String> groups(Handling handling) {
        var words = new ArrayList<String>();
        for (Group group : handling.route().traffic().groups()) {
            List<String> endpoints = handling.pool(group.target()).endpoints();
            String share = String.format(
                    Locale.ROOT, "%5s  ", handling.totalWeight() == 0 ? "0%" : Summary.percent(group, handling));
            String where = switch (group.target()) {
                case Route.Target.Invalid invalid -> "500: the reference leads nowhere, see `shellac check`";
                default ->
                    Summary.service(group)
                            + (endpoints.isEmpty()
                                    ? "  " + group.onEmpty() + ": no endpoint is ready"
                                    : "  " + String.join(" ", endpoints));
            };
            words.add(share + where);
            groupFilters(group, handling).forEach(line -> words.add("         " + line));
        }
        if (words.isEmpty() || handling.totalWeight() == 0) {
            words.add("500: no backend has a share");
        }
        return words;
    }

    /** How the answer is kept. */
    static List<String> cache(CacheDecision cacheDecision) {
        CachePolicy policy = cacheDecision.policy();
        var words = new ArrayList<String>();
        String ttl = switch (policy.ttl()) {
            case Ttl.Origin origin -> "as long as the origin says";
            case Ttl.Default some -> some.seconds() + " s where the origin says nothing";
            case Ttl.Forced forced -> forced.seconds() + " s whatever the origin says";
        };
        words.add(ttl + ", grace " + policy.grace() + " s, keep " + policy.keep() + " s");
        var key = new ArrayList<>(List.of("host", "path"));
        key.add(
                !policy.key().include().isEmpty()
                        ? "query parameters " + String.join(", ", policy.key().include())
                        : policy.key().exclude().isEmpty()
                                ? "query"
                                : "query without "
                                        + String.join(", ", policy.key().exclude()));
        policy.key().headers().forEach(name -> key.add("header " + name));
        words.add("key: " + String.join(", ", key));
        cacheDecision.pass().ifPresent(why -> words.add("but not this request: " + why));
        return words;
    }
}
