package dev.shellac.translate.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.resolve.CacheRules;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The regular expressions of one route, as many as the CRDs let it have. */
final class PatternSizeTest {
    private static final int RULES = 16;
    private static final int MATCHES = 8;
    private static final int VALUES = 16;

    @Test
    void thousandsThatDifferAreRefusedWithTheArithmetic() {
        Refusal refusal =
                PatternSize.refusal(task(VALUES, n -> "[ab]*a[ab]{8}" + n)).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.UNSUPPORTED_VALUE);
        assertThat(refusal.message())
                .matches(
                        "the regular expressions of the route are too large: 4096 that differ x \\d+ instructions on average, "
                                + "together \\d+ of 20000: use fewer or shorter ones");
        assertThat(RouteSize.refusal(task(VALUES, n -> "[ab]*a[ab]{8}" + n))).isPresent();
    }

    @Test
    void thoseThatPeopleWriteAreNot() {
        assertThat(PatternSize.refusal(task(0, n -> "x"))).isEmpty();
        assertThat(PatternSize.refusal(task(1, n -> "/api/v[0-9]+/tenants/" + n / 96 + "/.*")))
                .isEmpty();
    }

    @Test
    void moreSearchesThanAHostHasForANamespaceAreRefusedWithTheArithmetic() {
        Refusal refusal = PatternSize.refusal(task(1, n -> "a*" + n)).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.UNSUPPORTED_VALUE);
        assertThat(refusal.message())
                .isEqualTo(
                        "each request is searched too often for the route: 256 regular expressions that differ, or are for another "
                                + "header or parameter, + 1 query parameters, together 257 of 128: use fewer, or routes with other hostnames");
    }

    @Test
    void oneThatComesAgainCountsOnce() {
        assertThat(PatternSize.refusal(task(VALUES, n -> "[ab]*a[ab]{8}"))).isEmpty();
    }

    @Test
    void oneThatCannotBeUsedIsRefusedWithItsRule() {
        assertThat(PatternSize.refusal(task(VALUES, n -> "(?=" + n + ")"))).isEmpty();
    }

    // So many header matches, and as many query matches, in each match.
    private static RouteTask task(int values, IntFunction<String> regex) {
        List<Rule> rules = IntStream.range(0, RULES)
                .mapToObj(r -> rule(IntStream.range(r * MATCHES, (r + 1) * MATCHES)
                        .mapToObj(m -> match(m * 2 * VALUES, values, regex))
                        .toList()))
                .toList();
        return new RouteTask(
                new Name("shop", "r"),
                Optional.empty(),
                rules,
                Map.of(),
                rules.stream().map(rule -> Optional.<CacheRules>empty()).toList(),
                Map.of());
    }

    private static Match match(int first, int values, IntFunction<String> regex) {
        return new Match(
                PathMatch.EVERYTHING,
                IntStream.range(0, values)
                        .mapToObj(n -> new Match.HeaderMatch("h" + n, new ValueMatch.Pattern(regex.apply(first + n))))
                        .toList(),
                IntStream.range(0, values)
                        .mapToObj(n ->
                                new Match.QueryMatch("q" + n, new ValueMatch.Pattern(regex.apply(first + VALUES + n))))
                        .toList(),
                Optional.empty());
    }

    private static Rule rule(List<Match> matches) {
        return new Rule(
                Optional.empty(), matches, List.of(), List.of(), Timeouts.NONE, Optional.empty(), Optional.empty());
    }
}
