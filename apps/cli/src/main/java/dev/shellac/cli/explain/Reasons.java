package dev.shellac.cli.explain;

import dev.shellac.explain.Explanation.Other;
import dev.shellac.explain.Explanation.Verdict.Taken;
import dev.shellac.explain.table.Route;
import dev.shellac.explain.table.Route.Conditions;
import dev.shellac.explain.table.Route.PathRule;
import java.util.Optional;

/** Why a route did not get a request, by the order of Gateway API. */
final class Reasons {
    private Reasons() {}

    /** In words that follow the route's name. */
    static String of(Other other, Optional<Taken> winner) {
        return other.mismatch()
                .orElseGet(() -> "would take it, too, but "
                        + winner.map(taken -> later(other, taken)).orElse("is later"));
    }

    private static String later(Other other, Taken winner) {
        if (!other.host().name().equals(winner.host().name())) {
            return "host " + other.host().name() + " is less specific than "
                    + winner.host().name();
        }
        Conditions lost = other.route().conditions();
        Conditions won = winner.route().conditions();
        if (rank(lost.path()) != rank(won.path())) {
            return "'" + words(won.path()) + "' goes before '" + words(lost.path()) + "'";
        }
        if (length(lost.path()) != length(won.path())) {
            return "'" + words(lost.path()) + "' is shorter";
        }
        if (lost.method().isPresent() != won.method().isPresent()) {
            return "it asks for no method";
        }
        if (lost.headers().size() != won.headers().size()) {
            return "it asks for fewer headers";
        }
        if (lost.query().size() != won.query().size()) {
            return "it asks for fewer query parameters";
        }
        return tie(other.route(), winner.route());
    }

    private static String tie(Route lost, Route won) {
        return lost.origin().name().equals(won.origin().name())
                ? "it stands further down in the same route"
                : "its route is younger, or comes later by name";
    }

    private static int rank(PathRule path) {
        return switch (path) {
            case PathRule.Exact exact -> 0;
            case PathRule.Prefix prefix -> 1;
            case PathRule.Matching matching -> 2;
            case PathRule.Any any -> 3;
        };
    }

    private static int length(PathRule path) {
        return path instanceof PathRule.Prefix prefix ? prefix.path().length() : 0;
    }

    static String words(PathRule path) {
        return switch (path) {
            case PathRule.Exact exact -> "exactly " + exact.path();
            case PathRule.Prefix prefix -> "below " + prefix.path();
            case PathRule.Matching matching -> "matching " + matching.expression();
            case PathRule.Any any -> "any path";
        };
    }
}
