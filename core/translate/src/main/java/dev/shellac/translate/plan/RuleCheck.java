package dev.shellac.translate.plan;

import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathEdit;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Retry;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.resolve.NormalPath;
import dev.shellac.translate.resolve.Patterns;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Whether the data plane can do what a rule asks for. The limits are those of ghost.json; a rule beyond them is refused here,
 * where the reason reaches its author.
 */
final class RuleCheck {
    private static final int MOST_QUOTED = 512;
    private static final int MOST_ATTEMPTS = 100;
    private static final int MOST_CODES = 64;
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
    private static final Set<String> CONNECTION_HEADERS =
            Set.of("connection", "content-length", "transfer-encoding", "trailer", "upgrade", "keep-alive", "te");
    private static final String OWN_HEADERS = "x-ghost-";

    private RuleCheck() {}

    static Optional<Refusal> refusal(Rule rule) {
        return rule.matches().stream()
                .flatMap(match -> fault(match).stream())
                .findFirst()
                .map(RuleCheck::unsupported)
                .or(() -> filters(rule))
                .or(() -> rule.backends().stream()
                        .flatMap(backend -> backendFilters(backend).stream())
                        .findFirst())
                .or(() -> limits(rule).map(RuleCheck::unsupported));
    }

    /** Why a match cannot be decided. */
    static Optional<String> fault(Match match) {
        Stream<String> regexes = Stream.concat(
                match.path() instanceof PathMatch.Pattern path ? Stream.of(path.regex()) : Stream.empty(),
                Stream.concat(
                                match.headers().stream().map(Match.HeaderMatch::value),
                                match.queryParams().stream().map(Match.QueryMatch::value))
                        .flatMap(value ->
                                value instanceof ValueMatch.Pattern found ? Stream.of(found.regex()) : Stream.empty()));
        return regexes.flatMap(regex -> Patterns.fault(regex)
                        .map(fault -> "the regular expression '" + quoted(regex) + "' cannot be used: " + fault)
                        .stream())
                .findFirst()
                .or(() -> NormalPath.fault(match.path())
                        .map(fault -> words(match.path()) + " matches no request: " + fault));
    }

    // As its author wrote it.
    private static String words(PathMatch path) {
        return switch (path) {
            case PathMatch.Exact exact -> "the path '" + quoted(exact.path()) + "'";
            case PathMatch.Prefix prefix -> "the path '" + quoted(prefix.path()) + "'";
            case PathMatch.Pattern pattern -> "the regular expression '" + quoted(pattern.regex()) + "'";
        };
    }

    // Some may have 4,096 characters, and the message must have room for what is wrong with them.
    private static String quoted(String value) {
        return MessageText.cut(value, MOST_QUOTED);
    }

    private static Optional<Refusal> filters(Rule rule) {
        var seen = new HashSet<String>();
        for (Filter filter : rule.filters()) {
            if (!seen.add(filter.typeName()) && !(filter instanceof Filter.Mirror)) {
                return Optional.of(new Refusal(
                        Reason.INCOMPATIBLE_FILTERS,
                        filter.typeName() + " is there twice, and only once has a meaning"));
            }
        }
        if (seen.contains("RequestRedirect") && seen.contains("URLRewrite")) {
            return Optional.of(new Refusal(
                    Reason.INCOMPATIBLE_FILTERS, "RequestRedirect and URLRewrite exclude each other: choose one"));
        }
        if (seen.contains("RequestRedirect") && !rule.backends().isEmpty()) {
            return Optional.of(new Refusal(
                    Reason.INCOMPATIBLE_FILTERS, "RequestRedirect never reaches a backend: leave out backendRefs"));
        }
        return Stream.concat(rule.filters().stream(), rule.backends().stream().flatMap(ref -> ref.filters().stream()))
                .flatMap(filter -> fault(filter, rule.matches()).stream())
                .findFirst()
                .map(RuleCheck::unsupported);
    }

    private static Optional<String> fault(Filter filter, List<Match> matches) {
        return switch (filter) {
            case Filter.RequestHeaders headers -> fault(headers.edits());
            case Filter.ResponseHeaders headers -> fault(headers.edits());
            case Filter.Redirect redirect -> redirect.path().flatMap(path -> fault(path, matches));
            case Filter.Rewrite rewrite -> rewrite.path().flatMap(path -> fault(path, matches));
            case Filter.Mirror mirror -> Optional.empty();
            case Filter.Cors cors -> Optional.empty();
            case Filter.Extension extension ->
                Optional.of("filter ExtensionRef to " + extension.target().type() + " is not supported");
            case Filter.ExternalAuth auth -> Optional.of("filter ExternalAuth is not supported");
        };
    }

    private static Optional<String> fault(HeaderEdits edits) {
        return Stream.concat(
                        Stream.concat(edits.set().stream(), edits.add().stream())
                                .map(HeaderEdits.Header::name),
                        edits.remove().stream())
                .filter(RuleCheck::isReserved)
                .findFirst()
                .map(name ->
                        "header " + name + " belongs to the connection or to the gateway, no filter may change it");
    }

    private static boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return CONNECTION_HEADERS.contains(lower) || lower.startsWith(OWN_HEADERS);
    }

    private static Optional<String> fault(PathEdit edit, List<Match> matches) {
        return edit instanceof PathEdit.Prefix
                        && matches.stream().anyMatch(match -> match.path() instanceof PathMatch.Pattern)
                ? Optional.of("ReplacePrefixMatch needs a PathPrefix match, not a regular expression")
                : Optional.empty();
    }

    private static Optional<Refusal> backendFilters(BackendRef backend) {
        var seen = new HashSet<String>();
        for (Filter filter : backend.filters()) {
            boolean known = filter instanceof Filter.RequestHeaders
                    || filter instanceof Filter.ResponseHeaders
                    || filter instanceof Filter.Rewrite;
            if (!known) {
                return Optional.of(unsupported(
                        "filter " + filter.typeName() + " is not supported on a backendRef; put it on the rule"));
            }
            if (!seen.add(filter.typeName())) {
                return Optional.of(new Refusal(
                        Reason.INCOMPATIBLE_FILTERS,
                        filter.typeName() + " is there twice on a backendRef, and only once has a meaning"));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> limits(Rule rule) {
        if (rule.sessionPersistence().isPresent()) {
            return Optional.of("sessionPersistence is not supported");
        }
        if (Stream.concat(rule.timeouts().request().stream(), rule.timeouts().backendRequest().stream())
                .anyMatch(limit -> limit.compareTo(LONGEST_TIMEOUT) > 0)) {
            return Optional.of("no timeout may be longer than a day");
        }
        return rule.retry().flatMap(RuleCheck::fault);
    }

    private static Optional<String> fault(Retry retry) {
        if (retry.attempts() > MOST_ATTEMPTS) {
            return Optional.of("retry.attempts is " + retry.attempts() + ", the most is " + MOST_ATTEMPTS);
        }
        if (retry.codes().size() > MOST_CODES) {
            return Optional.of("retry.codes has more than " + MOST_CODES + " codes");
        }
        return retry.backoff()
                .filter(backoff -> backoff.compareTo(LONGEST_BACKOFF) > 0)
                .map(backoff -> "retry.backoff may not be longer than a minute");
    }

    private static Refusal unsupported(String message) {
        return new Refusal(Reason.UNSUPPORTED_VALUE, message);
    }
}
