package dev.shellac.explain;

import dev.shellac.explain.Explanation.Owner;
import dev.shellac.explain.request.Request;
import dev.shellac.explain.table.Route;
import dev.shellac.explain.table.Route.NamedRule;
import dev.shellac.explain.table.Route.PathRule;
import dev.shellac.explain.table.Route.ValueRule;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether a route takes a request, and if not, what is missing. */
final class Acceptance {
    private Acceptance() {}

    /** The first condition that the request does not meet, in words. */
    static Optional<String> mismatch(Route route, Request request, Owner owner) {
        return listener(route, owner)
                .or(() -> path(route.conditions().path(), request.url().path()))
                .or(() -> method(route, request))
                .or(() -> headers(route.conditions().headers(), request))
                .or(() -> query(route.conditions().query(), request));
    }

    private static Optional<String> listener(Route route, Owner owner) {
        List<String> listeners = route.listeners();
        return listeners.isEmpty() || listeners.contains(owner.key()) || listeners.contains(owner.name())
                ? Optional.empty()
                : Optional.of("is attached to listener " + String.join(", ", listeners));
    }

    private static Optional<String> path(PathRule rule, String path) {
        return switch (rule) {
            case PathRule.Any any -> Optional.empty();
            case PathRule.Exact exact -> unless(exact.path().equals(path), "wants the path " + exact.path());
            case PathRule.Prefix prefix ->
                unless(
                        path.equals(prefix.path()) || path.startsWith(prefix.path() + "/"),
                        "wants a path at or below " + prefix.path());
            case PathRule.Matching matching ->
                unless(matching.expression().fits(path), "wants a path that matches " + matching.expression());
        };
    }

    // A preflight asks on behalf of another method: the rule for that method has to answer it.
    private static Optional<String> method(Route route, Request request) {
        return route.conditions()
                .method()
                .filter(method -> !method.equals(request.method()))
                .filter(method -> route.filters().cors().isEmpty()
                        || request.preflightMethod().filter(method::equals).isEmpty())
                .map(method -> "wants the method " + method);
    }

    private static Optional<String> headers(List<NamedRule> rules, Request request) {
        return rules.stream()
                .filter(rule -> request.all(rule.name()).noneMatch(value -> accepts(rule.value(), value)))
                .findFirst()
                .map(rule -> "wants the header " + rule.name() + words(rule.value()) + found(request.all(rule.name())));
    }

    private static Optional<String> query(List<NamedRule> rules, Request request) {
        return rules.stream()
                .filter(rule -> request.url()
                        .parameter(rule.name())
                        .filter(value -> accepts(rule.value(), value))
                        .isEmpty())
                .findFirst()
                .map(rule -> "wants the query parameter " + rule.name() + words(rule.value())
                        + found(request.url().parameter(rule.name()).stream()));
    }

    private static boolean accepts(ValueRule rule, String value) {
        return switch (rule) {
            case ValueRule.Exact exact -> exact.value().equals(value);
            case ValueRule.Matching matching -> matching.expression().fits(value);
        };
    }

    private static String words(ValueRule rule) {
        return switch (rule) {
            case ValueRule.Exact exact -> " to be " + exact.value();
            case ValueRule.Matching matching -> " to match " + matching.expression();
        };
    }

    private static String found(Stream<String> values) {
        List<String> all = values.toList();
        return all.isEmpty() ? ", which is not there" : ", not " + String.join(", ", all);
    }

    private static Optional<String> unless(boolean holds, String otherwise) {
        return holds ? Optional.empty() : Optional.of(otherwise);
    }
}
