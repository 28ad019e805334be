package dev.shellac.chaperone.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BaseMismatchTimeoutTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @Test
    void patienceBeginsWithTheMisfitAndEnds() {
        var mismatch = new BaseMismatchTimeout(Duration.ofSeconds(2));
        assertThat(mismatch.left(true, 0)).isEmpty();
        assertThat(mismatch.left(false, 100 * SECOND)).contains(Duration.ofSeconds(2));
        assertThat(mismatch.left(false, 101 * SECOND)).contains(Duration.ofSeconds(1));
        assertThat(mismatch.left(false, 102 * SECOND)).isEmpty();
        assertThat(mismatch.left(false, 200 * SECOND)).isEmpty();
        assertThat(mismatch.left(true, 201 * SECOND)).isEmpty();
        assertThat(mismatch.left(false, 300 * SECOND)).contains(Duration.ofSeconds(2));
    }
}
