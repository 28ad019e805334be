package dev.shellac.chaperone.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.edge.EdgeChange.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long changes wait for each other. */
final class PaceTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Pace pace = new Pace();

    @Test
    void theFirstRevocationWaitsForNobody() {
        assertThat(pace.rest(Kind.REVOCATION)).isLessThanOrEqualTo(Duration.ZERO);
        pace.start();
        assertThat(pace.rest(Kind.REVOCATION)).isPositive().isLessThanOrEqualTo(SECOND);
    }

    @Test
    void connectionsOfAllAreNotEndedEverySecond() {
        pace.start();
        pace.revoked();
        assertThat(pace.rest(Kind.REVOCATION))
                .isGreaterThan(Duration.ofSeconds(25))
                .isLessThanOrEqualTo(Duration.ofSeconds(30));
        assertThat(pace.rest(Kind.NEW_PROCESS)).as("others end nobody's").isLessThanOrEqualTo(SECOND);
        pace.start();
        assertThat(pace.rest(Kind.REVOCATION)).as("whatever comes between").isGreaterThan(Duration.ofSeconds(25));
    }
}
