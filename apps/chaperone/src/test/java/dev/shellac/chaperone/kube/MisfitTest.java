package dev.shellac.chaperone.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class MisfitTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @Test
    void patienceBeginsWithTheMisfitAndEnds() {
        var misfit = new Misfit(Duration.ofSeconds(2));
        assertThat(misfit.left(true, 0)).isEmpty();
        assertThat(misfit.left(false, 100 * SECOND)).contains(Duration.ofSeconds(2));
        assertThat(misfit.left(false, 101 * SECOND)).contains(Duration.ofSeconds(1));
        assertThat(misfit.left(false, 102 * SECOND)).isEmpty();
        assertThat(misfit.left(false, 200 * SECOND)).isEmpty();
        assertThat(misfit.left(true, 201 * SECOND)).isEmpty();
        assertThat(misfit.left(false, 300 * SECOND)).contains(Duration.ofSeconds(2));
    }
}
