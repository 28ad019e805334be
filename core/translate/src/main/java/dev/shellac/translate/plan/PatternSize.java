package dev.shellac.translate.plan;

import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.resolve.CacheRules;
import dev.shellac.translate.resolve.Patterns;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * How large the regular expressions of a route are together, and how often a request is searched for its conditions. Pods turn each expression that
 * differs into an automaton, so thousands of small ones take more memory than there is; and each that differs goes through a header, a query
 * parameter or the path of each request once, as does finding a parameter. What the automata come to is known in the pods alone, which have
 * bounds for each namespace; this keeps away what is far beyond.
 */
final class PatternSize {
    static final int MOST_INSTRUCTIONS = 20_000;
    // The `SCANS_PER_NAMESPACE` of ghost, on each host of the route.
    static final int MOST_SEARCHES = 128;

    private PatternSize() {}

    static Optional<Refusal> refusal(RouteTask task) {
        Set<String> regexes = regexes(task);
        long instructions = regexes.stream().mapToLong(Patterns::instructions).sum();
        Optional<Refusal> tooLarge = instructions <= MOST_INSTRUCTIONS
                ? Optional.empty()
                : Optional.of(new Refusal(
                        Reason.UNSUPPORTED_VALUE,
                        "the regular expressions of the route are too large: " + regexes.size() + " that differ x "
                                + instructions / regexes.size() + " instructions on average, together " + instructions
                                + " of " + MOST_INSTRUCTIONS + ": use fewer or shorter ones"));
        return tooLarge.or(() -> searches(task));
    }

    private static Optional<Refusal> searches(RouteTask task) {
        var expressions = new HashSet<List<String>>();
        var parameters = new HashSet<String>();
        task.rules().stream().flatMap(rule -> rule.matches().stream()).forEach(match -> {
            if (match.path() instanceof PathMatch.Pattern path) {
                expressions.add(List.of("path", "", path.regex()));
            }
            match.headers()
                    .forEach(header -> regex(header.value())
                            .ifPresent(regex -> expressions.add(
                                    List.of("header", header.name().toLowerCase(Locale.ROOT), regex))));
            match.queryParams().forEach(query -> {
                parameters.add(query.name());
                regex(query.value()).ifPresent(regex -> expressions.add(List.of("query", query.name(), regex)));
            });
        });
        // Those that cannot be used are refused with their rules.
        expressions.removeIf(expression -> Patterns.fault(expression.getLast()).isPresent());
        int all = expressions.size() + parameters.size();
        return all <= MOST_SEARCHES
                ? Optional.empty()
                : Optional.of(new Refusal(
                        Reason.UNSUPPORTED_VALUE,
                        "each request is searched too often for the route: " + expressions.size()
                                + " regular expressions that differ, or are for another header or parameter, + "
                                + parameters.size() + " query parameters, together " + all + " of " + MOST_SEARCHES
                                + ": use fewer, or routes with other hostnames"));
    }

    private static Optional<String> regex(ValueMatch value) {
        return value instanceof ValueMatch.Pattern pattern ? Optional.of(pattern.regex()) : Optional.empty();
    }

    private static Set<String> regexes(RouteTask task) {
        var regexes = new HashSet<String>();
        task.rules().stream().flatMap(rule -> rule.matches().stream()).forEach(match -> collect(match, regexes));
        Stream.concat(
                        task.caches().stream(),
                        task.placements().values().stream().map(RouteTask.Placement::cache))
                .flatMap(Optional::stream)
                .map(CacheRules::bypass)
                .flatMap(bypass -> bypass.stream().flatMap(header -> header.valueRegex().stream()))
                .forEach(regexes::add);
        return regexes;
    }

    private static void collect(Match match, Set<String> regexes) {
        if (match.path() instanceof PathMatch.Pattern path) {
            regexes.add(path.regex());
        }
        Stream.concat(
                        match.headers().stream().map(Match.HeaderMatch::value),
                        match.queryParams().stream().map(Match.QueryMatch::value))
                .forEach(value -> regex(value).ifPresent(regexes::add));
    }
}
