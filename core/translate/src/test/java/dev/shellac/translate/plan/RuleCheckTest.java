package dev.shellac.translate.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathEdit;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Retry;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot come through the rules of the CRDs of today, but could through those of another version, and limits. */
final class RuleCheckTest {
    private static final Filter REDIRECT =
            new Filter.Redirect(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 302);
    private static final Filter REWRITE = new Filter.Rewrite(Optional.empty(), Optional.empty());
    private static final Filter MIRROR = new Filter.Mirror(backend(), Filter.Share.ALL);

    private static BackendRef backend(Filter... filters) {
        return new BackendRef(
                new ObjectRef(GroupKind.SERVICE, Optional.empty(), "s"),
                Optional.of(new Port(80)),
                1,
                List.of(filters));
    }

    private static Rule rule(PathMatch path, List<BackendRef> backends, Filter... filters) {
        return new Rule(
                Optional.empty(),
                List.of(new Match(path, List.of(), List.of(), Optional.empty())),
                List.of(filters),
                backends,
                Timeouts.NONE,
                Optional.empty(),
                Optional.empty());
    }

    private static Optional<Reason> reason(List<BackendRef> backends, Filter... filters) {
        return RuleCheck.refusal(rule(PathMatch.EVERYTHING, backends, filters)).map(Refusal::reason);
    }

    @Test
    void filtersThatExcludeEachOther() {
        assertThat(reason(List.of(), REDIRECT, REWRITE)).contains(Reason.INCOMPATIBLE_FILTERS);
        assertThat(reason(List.of(), REWRITE, REWRITE)).contains(Reason.INCOMPATIBLE_FILTERS);
        assertThat(reason(List.of(backend()), REDIRECT)).contains(Reason.INCOMPATIBLE_FILTERS);
        assertThat(reason(List.of(backend(REWRITE, REWRITE)))).contains(Reason.INCOMPATIBLE_FILTERS);
    }

    @Test
    void filtersThatGoTogether() {
        assertThat(reason(List.of(backend(REWRITE)), REWRITE, MIRROR, MIRROR)).isEmpty();
        assertThat(reason(List.of(), REDIRECT)).isEmpty();
    }

    @Test
    void aPrefixCannotBeReplacedInARegularExpression() {
        Filter replace = new Filter.Rewrite(Optional.empty(), Optional.of(new PathEdit.Prefix("/x")));
        assertThat(RuleCheck.refusal(rule(new PathMatch.Pattern("/a"), List.of(), replace))
                        .map(Refusal::reason))
                .contains(Reason.UNSUPPORTED_VALUE);
        assertThat(RuleCheck.refusal(rule(new PathMatch.Prefix("/a"), List.of(), replace)))
                .isEmpty();
        Filter full = new Filter.Rewrite(Optional.empty(), Optional.of(new PathEdit.Full("/x")));
        assertThat(RuleCheck.refusal(rule(new PathMatch.Pattern("/a"), List.of(), full)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Connection", "content-length", "TE", "X-Ghost-Route", "Transfer-Encoding"})
    void reservedHeadersInEveryPlace(String name) {
        var header = new HeaderEdits.Header(name, "x");
        for (HeaderEdits edits : List.of(
                new HeaderEdits(List.of(header), List.of(), List.of()),
                new HeaderEdits(List.of(), List.of(header), List.of()),
                new HeaderEdits(List.of(), List.of(), List.of(name)))) {
            assertThat(reason(List.of(), new Filter.RequestHeaders(edits))).contains(Reason.UNSUPPORTED_VALUE);
            assertThat(reason(List.of(backend(new Filter.ResponseHeaders(edits)))))
                    .contains(Reason.UNSUPPORTED_VALUE);
        }
    }

    @Test
    void limitsOfRetries() {
        List<Integer> codes = IntStream.range(400, 465).boxed().toList();
        assertThat(retry(new Retry(100, codes.subList(0, 64), Optional.of(Duration.ofMinutes(1)))))
                .isEmpty();
        assertThat(retry(new Retry(101, List.of(), Optional.empty()))).isPresent();
        assertThat(retry(new Retry(1, codes, Optional.empty()))).isPresent();
        assertThat(retry(new Retry(1, List.of(), Optional.of(Duration.ofSeconds(61)))))
                .isPresent();
    }

    private static Optional<Refusal> retry(Retry retry) {
        Rule plain = rule(PathMatch.EVERYTHING, List.of());
        return RuleCheck.refusal(new Rule(
                plain.name(),
                plain.matches(),
                plain.filters(),
                plain.backends(),
                plain.timeouts(),
                Optional.of(retry),
                Optional.empty()));
    }

    @Test
    void limitsOfTimeouts() {
        Optional<Duration> day = Optional.of(Duration.ofDays(1));
        Optional<Duration> more = Optional.of(Duration.ofDays(1).plusMillis(1));
        assertThat(timeouts(new Timeouts(day, day))).isEmpty();
        assertThat(timeouts(new Timeouts(more, day))).isPresent();
        assertThat(timeouts(new Timeouts(day, more))).isPresent();
    }

    private static Optional<Refusal> timeouts(Timeouts timeouts) {
        Rule plain = rule(PathMatch.EVERYTHING, List.of());
        return RuleCheck.refusal(new Rule(
                plain.name(),
                plain.matches(),
                plain.filters(),
                plain.backends(),
                timeouts,
                Optional.empty(),
                Optional.empty()));
    }
}
