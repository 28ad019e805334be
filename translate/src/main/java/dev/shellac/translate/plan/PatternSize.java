package dev.shellac.translate.plan;

import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.resolve.Caching;
import dev.shellac.translate.resolve.Patterns;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * How large the regular expressions of a route are together. Pods turn each of them that differs into an automaton, so thousands of small ones take
 * more memory than there is. What the automata come to is known in the pods alone, which have a bound for each namespace; this keeps away what is far beyond.
 */
final class PatternSize {
    static final int MOST_INSTRUCTIONS = 20_000;

    private PatternSize() {}

    static Optional<Refusal> refusal(RouteTask task) {
        Set<String> regexes = regexes(task);
        long instructions = regexes.stream().mapToLong(Patterns::instructions).sum();
        return instructions <= MOST_INSTRUCTIONS
                ? Optional.empty()
                : Optional.of(new Refusal(
                        Reason.UNSUPPORTED_VALUE,
                        "the regular expressions of the route are too large: " + regexes.size() + " that differ x "
                                + instructions / regexes.size() + " instructions on average, together " + instructions
                                + " of " + MOST_INSTRUCTIONS + ": use fewer or shorter ones"));
    }

    private static Set<String> regexes(RouteTask task) {
        var regexes = new HashSet<String>();
        task.rules().stream().flatMap(rule -> rule.matches().stream()).forEach(match -> collect(match, regexes));
        Stream.concat(
                        task.caches().stream(),
                        task.placements().values().stream().map(RouteTask.Placement::cache))
                .flatMap(Optional::stream)
                .map(Caching::bypass)
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
                .forEach(value -> {
                    if (value instanceof ValueMatch.Pattern pattern) {
                        regexes.add(pattern.regex());
                    }
                });
    }
}
