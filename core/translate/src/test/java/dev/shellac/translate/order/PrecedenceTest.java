package dev.shellac.translate.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.Match.HeaderMatch;
import dev.shellac.model.route.Match.QueryMatch;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.plan.Origin;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One test for each clause of Gateway API's HTTPRouteRule.matches; every earlier clause beats all later ones together. */
final class PrecedenceTest {
    private static final PathMatch A = new PathMatch.Prefix("/a");

    private static RoutePlan plan(PathMatch path, int headers, int params, boolean method, Origin origin) {
        var match = new Match(
                path,
                Stream.generate(() -> new HeaderMatch("h", new ValueMatch.Exact("v")))
                        .limit(headers)
                        .toList(),
                Stream.generate(() -> new QueryMatch("q", new ValueMatch.Exact("v")))
                        .limit(params)
                        .toList(),
                method ? Optional.of("GET") : Optional.empty());
        return new RoutePlan(origin, match, List.of("l"), new RoutePlan.Action.Refuse(new Refusal(Reason.INVALID, "")));
    }

    private static RoutePlan plan(PathMatch path, int headers, int params, boolean method) {
        return plan(path, headers, params, method, origin("ns", "r", 5, 0, 0));
    }

    private static Origin origin(String namespace, String name, long created, int rule, int match) {
        return new Origin(
                new Name(namespace, name),
                created < 0 ? Optional.empty() : Optional.of(Instant.ofEpochSecond(created)),
                rule,
                Optional.empty(),
                match);
    }

    private static void assertOrder(RoutePlan first, RoutePlan second) {
        assertThat(Precedence.FIRST_TRIED_FIRST.compare(first, second)).isNegative();
        assertThat(Precedence.FIRST_TRIED_FIRST.compare(second, first)).isPositive();
    }

    @Test
    void anExactPathBeforeThePrefixOfAnyLengthWithEverythingElse() {
        assertOrder(
                plan(new PathMatch.Exact("/a"), 0, 0, false),
                plan(new PathMatch.Prefix("/" + "a".repeat(1000)), 16, 16, true));
    }

    @Test
    void theLengthOfAnExactPathSaysNothing() {
        RoutePlan shorter = plan(new PathMatch.Exact("/a"), 0, 0, false, origin("ns", "a", 1, 0, 0));
        assertOrder(shorter, plan(new PathMatch.Exact("/abc"), 0, 0, false, origin("ns", "a", 2, 0, 0)));
    }

    @Test
    void theLongerPrefixBeforeMethodHeadersAndParameters() {
        assertOrder(plan(new PathMatch.Prefix("/ab"), 0, 0, false), plan(A, 16, 16, true));
    }

    @Test
    void aTrailingSlashDoesNotMakeAPrefixLonger() {
        RoutePlan older = plan(A, 0, 0, false, origin("ns", "a", 1, 0, 0));
        assertOrder(older, plan(new PathMatch.Prefix("/b/"), 0, 0, false, origin("ns", "a", 2, 0, 0)));
    }

    @Test
    void prefixesAreCountedInCharacters() {
        RoutePlan older = plan(new PathMatch.Prefix("/aa"), 0, 0, false, origin("ns", "a", 1, 0, 0));
        assertOrder(older, plan(new PathMatch.Prefix("/\uD83D\uDE00"), 0, 0, false, origin("ns", "a", 1, 1, 0)));
    }

    @Test
    void aRegularExpressionBehindAPrefixAndBeforeTheRoot() {
        RoutePlan pattern = plan(new PathMatch.Pattern("/.*"), 16, 16, true);
        assertOrder(plan(A, 0, 0, false), pattern);
        assertOrder(plan(new PathMatch.Pattern("/.*"), 0, 0, false), plan(PathMatch.EVERYTHING, 16, 16, true));
    }

    @Test
    void aMethodBeforeHeadersAndParameters() {
        assertOrder(plan(A, 0, 0, true), plan(A, 16, 16, false));
    }

    @Test
    void moreHeadersBeforeMoreParameters() {
        assertOrder(plan(A, 2, 0, false), plan(A, 1, 16, false));
    }

    @Test
    void moreParametersBeforeAge() {
        assertOrder(plan(A, 1, 2, false, origin("ns", "z", 9, 0, 0)), plan(A, 1, 1, false, origin("ns", "a", 1, 0, 0)));
    }

    @Test
    void theOlderRouteBeforeTheName() {
        assertOrder(plan(A, 0, 0, false, origin("ns", "z", 1, 9, 9)), plan(A, 0, 0, false, origin("ns", "a", 2, 0, 0)));
    }

    @Test
    void aRouteWithoutTimeIsTheNewest() {
        assertOrder(
                plan(A, 0, 0, false, origin("ns", "z", 1, 0, 0)), plan(A, 0, 0, false, origin("ns", "a", -1, 0, 0)));
    }

    @Test
    void theNameInAlphabeticalOrderBeforeTheRule() {
        assertOrder(plan(A, 0, 0, false, origin("a", "z", 1, 9, 9)), plan(A, 0, 0, false, origin("b", "a", 1, 0, 0)));
        assertOrder(plan(A, 0, 0, false, origin("a", "y", -1, 9, 9)), plan(A, 0, 0, false, origin("a", "z", -1, 0, 0)));
    }

    @Test
    void theFirstRuleThenTheFirstMatch() {
        assertOrder(plan(A, 0, 0, false, origin("a", "a", 1, 0, 9)), plan(A, 0, 0, false, origin("a", "a", 1, 1, 0)));
        assertOrder(plan(A, 0, 0, false, origin("a", "a", 1, 1, 0)), plan(A, 0, 0, false, origin("a", "a", 1, 1, 1)));
    }

    @Test
    void theOrderIsTotalAndDoesNotDependOnTheInput() {
        var all = new ArrayList<RoutePlan>();
        for (PathMatch path : List.of(
                A,
                new PathMatch.Prefix("/a/b/"),
                PathMatch.EVERYTHING,
                new PathMatch.Exact("/a"),
                new PathMatch.Pattern("/a"))) {
            for (int i = 0; i < 24; i++) {
                all.add(plan(path, i % 2, i / 2 % 2, i / 4 % 2 == 0, origin("n", "r" + i / 8, i / 16, i / 8, i)));
            }
        }
        List<RoutePlan> sorted =
                all.stream().sorted(Precedence.FIRST_TRIED_FIRST).toList();
        var random = new Random(7);
        for (int round = 0; round < 50; round++) {
            Collections.shuffle(all, random);
            assertThat(all.stream().sorted(Precedence.FIRST_TRIED_FIRST)).containsExactlyElementsOf(sorted);
        }
        for (int i = 1; i < sorted.size(); i++) {
            assertOrder(sorted.get(i - 1), sorted.get(i));
        }
    }
}
