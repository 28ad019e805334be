package dev.shellac.translate.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RouteTask;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** However a path is spelled, its route has the rank of what the path matches: nobody gets before another by a longer spelling. */
final class PathOrderTest {
    private static final Name GATEWAY = new Name("infra", "web");
    private static final List<String> SEGMENTS = List.of("a", "api", "v2", "~u", "x.y", "caf%C3%A9", "a%5Cb", "v;w=1");

    private final Random random = new Random(11);

    private String normal() {
        String path = random.ints(random.nextInt(4), 0, SEGMENTS.size())
                .mapToObj(i -> "/" + SEGMENTS.get(i))
                .collect(Collectors.joining());
        return path.isEmpty() || random.nextInt(4) == 0 ? path + "/" : path;
    }

    // The same path as its author may write it.
    private String respelled(String path) {
        var out = new StringBuilder();
        for (int i = 0; i < path.length(); i++) {
            char letter = path.charAt(i);
            if (letter == '/') {
                out.append(List.of("/", "/%2e/", "/x/%2E./", "/%2E/%2e/", "/").get(random.nextInt(5)));
            } else if (letter == '%') {
                String escape = path.substring(i, i + 3);
                out.append(random.nextBoolean() ? escape : escape.toLowerCase(Locale.ROOT));
                i += 2;
            } else if ((Character.isLetterOrDigit(letter) || "-._~".indexOf(letter) >= 0) && random.nextBoolean()) {
                out.append('%').append(Integer.toHexString(letter));
            } else {
                out.append(letter);
            }
        }
        return out.toString();
    }

    private static PathMatch match(int kind, String path) {
        return kind == 0 ? new PathMatch.Exact(path) : new PathMatch.Prefix(path);
    }

    private static RoutePlan plan(Name route, PathMatch path) {
        var rule = new Rule(
                Optional.empty(),
                List.of(new Match(path, List.of(), List.of(), Optional.empty())),
                List.of(),
                List.of(),
                Timeouts.NONE,
                Optional.empty(),
                Optional.empty());
        CompiledRoute compiled = RouteCompiler.compile(new RouteTask(
                route,
                Optional.of(Instant.EPOCH),
                List.of(rule),
                Map.of(),
                List.of(Optional.empty()),
                Map.of(GATEWAY, new RouteTask.Placement(Map.of(Hostname.ANY, List.of("l")), Optional.empty()))));
        assertThat(compiled.refusal()).isEmpty();
        return compiled.plans().values().stream()
                .flatMap(hosts -> hosts.values().stream())
                .flatMap(List::stream)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theOrderOfTwoPathsIsThatOfTheirNormalForms() {
        Name one = new Name("tenant", "api");
        Name other = new Name("victim", "api");
        for (int i = 0; i < 20_000; i++) {
            String first = normal();
            String second = normal();
            int kind = Math.min(1, random.nextInt(3));
            int otherKind = Math.min(1, random.nextInt(3));
            RoutePlan plain = plan(one, match(kind, first));
            RoutePlan otherPlain = plan(other, match(otherKind, second));
            RoutePlan spelled = plan(one, match(kind, respelled(first)));
            RoutePlan otherSpelled = plan(other, match(otherKind, respelled(second)));
            assertThat(spelled).isEqualTo(plain);
            assertThat(Precedence.FIRST_TRIED_FIRST.compare(spelled, otherSpelled))
                    .as("%s and %s", first, second)
                    .isEqualTo(Precedence.FIRST_TRIED_FIRST.compare(plain, otherPlain));
        }
    }

    @Test
    void aLongerSpellingIsNoLongerPath() {
        RoutePlan victim = plan(new Name("victim", "api"), new PathMatch.Prefix("/api/v2"));
        for (String path : List.of("/%61%70%69", "/%2e/%2e/%2e/%2e", "/api/%2e", "/x/%2e%2e/api")) {
            RoutePlan tenant = plan(new Name("tenant", "api"), new PathMatch.Prefix(path));
            assertThat(Precedence.FIRST_TRIED_FIRST.compare(victim, tenant))
                    .as(path)
                    .isNegative();
        }
    }
}
