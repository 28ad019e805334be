package dev.shellac.chaperone.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BackoffTest {
    @Test
    void growsFromHalfOfTheFirstToTheMostAndNoFurther() {
        var backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));
        var chance = new Random(1);
        for (int i = 0; i < 200; i++) {
            assertThat(backoff.delay(1, chance)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
            assertThat(backoff.delay(3, chance)).isBetween(Duration.ofMillis(200), Duration.ofMillis(400));
            assertThat(backoff.delay(1 + i, chance)).isLessThanOrEqualTo(Duration.ofSeconds(2));
        }
        assertThat(backoff.delay(1_000_000, chance)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }
}
