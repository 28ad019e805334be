package dev.shellac.translate.order;

import dev.shellac.model.Name;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.translate.plan.Origin;
import dev.shellac.translate.plan.RoutePlan;
import java.time.Instant;
import java.util.Comparator;

/**
 * The order in which the matches below one hostname are tried. Gateway API, HTTPRouteRule.matches, clause by clause; between
 * hostnames, the more specific one is tried first and falls through to the next.
 *
 * <p>The place of regular expressions is left to implementations. Here they stand behind prefixes, which are cheaper
 * to read for people, but before the root prefix, behind which nothing would ever be reached.
 */
public final class Precedence {
    private static final Comparator<PathMatch> PATH = Comparator.comparingInt(Precedence::rank)
            .thenComparing(Comparator.comparingInt(Precedence::prefixLength).reversed());

    private static final Comparator<Match> MATCH = Comparator.comparing(Match::path, PATH)
            .thenComparing(match -> match.method().isEmpty())
            .thenComparing(
                    Comparator.<Match>comparingInt(match -> match.headers().size())
                            .reversed())
            .thenComparing(
                    Comparator.<Match>comparingInt(match -> match.queryParams().size())
                            .reversed());

    // Ties go to the oldest route, then to namespace/name in alphabetical order, then to the first rule and match.
    // A route that was never in a cluster has no time; it counts as newest, and two of them tie.
    private static final Comparator<Origin> ORIGIN = Comparator.<Origin, Instant>comparing(
                    origin -> origin.created().orElse(Instant.MAX))
            .thenComparing(Origin::route, Precedence::alphabetically)
            .thenComparingInt(Origin::rule)
            .thenComparingInt(Origin::match);

    public static final Comparator<RoutePlan> FIRST_TRIED_FIRST =
            Comparator.comparing(RoutePlan::match, MATCH).thenComparing(RoutePlan::origin, ORIGIN);

    private Precedence() {}

    // By the text "namespace/name", in which a slash is greater than a dash: not the order that names have elsewhere.
    private static int alphabetically(Name one, Name other) {
        return one.namespace().equals(other.namespace())
                ? one.name().compareTo(other.name())
                : one.toString().compareTo(other.toString());
    }

    private static int rank(PathMatch path) {
        return switch (path) {
            case PathMatch.Exact exact -> 0;
            case PathMatch.Prefix prefix -> prefix.isRoot() ? 3 : 1;
            case PathMatch.Pattern pattern -> 2;
        };
    }

    // The number of characters of the normal form counts, without the trailing slash, which does not change what is
    // matched.
    private static int prefixLength(PathMatch path) {
        return switch (path) {
            case PathMatch.Prefix prefix ->
                prefix.elements().codePointCount(0, prefix.elements().length());
            case PathMatch.Exact exact -> 0;
            case PathMatch.Pattern pattern -> 0;
        };
    }
}
