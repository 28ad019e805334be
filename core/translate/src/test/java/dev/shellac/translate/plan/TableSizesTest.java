package dev.shellac.translate.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.plan.TableSizes.Share;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which routes have room in the table of a Gateway. */
final class TableSizesTest {
    private static final TableBudget BUDGET = new TableBudget("home", 1_000);

    private static RouteAge route(String namespace, int second) {
        return new RouteAge(Optional.of(Instant.ofEpochSecond(second)), new Name(namespace, "r" + second));
    }

    private static TableSizes with(TableSizes sizes, String namespace, int routes, long each) {
        TableSizes next = sizes;
        for (int i = 0; i < routes; i++) {
            next = next.with(route(namespace, i), each);
        }
        return next;
    }

    @Test
    void anotherNamespaceMayTakeHalfAndItsNewestRoutesAreRefused() {
        TableSizes sizes = with(TableSizes.NONE, "team", 6, 100);
        Share share = Optional.ofNullable(shares(sizes).get("team")).orElseThrow();
        assertThat(share).isEqualTo(new Share(500, route("team", 5)));
        assertThat(share.refuses(route("team", 4))).isFalse();
        assertThat(share.refuses(route("team", 5))).isTrue();
        assertThat(shares(sizes.without(route("team", 0))))
                .as("there is room again")
                .isEmpty();
        assertThat(shares(sizes.with(route("team", 0), 10)))
                .as("enough, even before the second")
                .containsOnlyKeys("team");
    }

    @Test
    void theGatewaysOwnNamespaceMayTakeAll() {
        assertThat(shares(with(TableSizes.NONE, "home", 10, 100))).isEmpty();
        assertThat(shares(with(TableSizes.NONE, "home", 11, 100)).get("home"))
                .isEqualTo(new Share(1_000, route("home", 10)));
    }

    @Test
    void aNamespaceThatTakesLittleLosesNothingToThoseThatTakeMuch() {
        TableSizes sizes = with(with(with(TableSizes.NONE, "a", 5, 100), "b", 5, 100), "small", 1, 100);
        assertThat(shares(sizes)).containsOnlyKeys("a", "b");
        assertThat(shares(sizes).get("a")).isEqualTo(new Share(448, route("a", 4)));
    }

    @Test
    void theFirstAloneMayBeTooLarge() {
        assertThat(shares(with(TableSizes.NONE, "team", 1, 501)).get("team"))
                .isEqualTo(new Share(500, route("team", 0)));
    }

    @Test
    void whatIsAdmittedFitsAndNobodyBelowAFairShareIsRefused() {
        var random = new Random(7);
        for (int script = 0; script < 300; script++) {
            TableSizes sizes = TableSizes.NONE;
            for (int i = 0; i < 60; i++) {
                RouteAge route = route("n" + random.nextInt(6), random.nextInt(8));
                sizes = random.nextInt(4) == 0 ? sizes.without(route) : sizes.with(route, random.nextInt(120));
                check(sizes);
            }
        }
    }

    private static void check(TableSizes sizes) {
        PersistentMap<String, Share> shares = shares(sizes);
        assertThat(sizes.bytes()).isEqualTo(sum(sizes, PersistentMap.empty()));
        assertThat(sum(sizes, shares)).isLessThanOrEqualTo(BUDGET.bytes());
        sizes.namespaces().forEach((namespace, routes) -> {
            // A share is rounded down by a sixteenth at most.
            if (routes.bytes()
                    <= BUDGET.bytes() * 15 / 16 / Math.max(2, sizes.namespaces().size())) {
                assertThat(shares).doesNotContainKey(namespace);
            }
        });
    }

    private static long sum(TableSizes sizes, PersistentMap<String, Share> shares) {
        return sizes.namespaces().entrySet().stream()
                .flatMap(namespace -> namespace.getValue().routes().entrySet().stream()
                        .filter(route -> Stream.ofNullable(shares.get(namespace.getKey()))
                                .noneMatch(share -> share.refuses(route.getKey()))))
                .mapToLong(route -> route.getValue())
                .sum();
    }

    private static PersistentMap<String, Share> shares(TableSizes sizes) {
        return sizes.shares(BUDGET);
    }
}
