package dev.shellac.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SettlingTest {
    private static final Path ONE = Path.of("site/one.yaml");
    private static final Path TWO = Path.of("site/two.yaml");

    private final Set<Path> there = new HashSet<>(Set.of(ONE, TWO));
    private final Settling settling = new Settling(there::contains);

    @Test
    void nothingIsReadBeforeTheWholeFolderIsQuiet() {
        settling.changed(List.of(ONE), millis(0));
        assertThat(settling.settled(millis(99))).isEmpty();
        settling.changed(List.of(TWO), millis(99));
        assertThat(settling.settled(millis(198))).isEmpty();
        assertThat(settling.due(millis(198))).isEqualTo(Duration.ofMillis(1));
        assertThat(settling.settled(millis(199))).containsExactly(ONE, TWO);
        assertThat(settling.settled(millis(400))).isEmpty();
        assertThat(settling.due(millis(400))).isGreaterThan(Duration.ofHours(1));
    }

    @Test
    void whoeverNeverStopsIsReadOnceASecond() {
        for (int at = 0; at < 1000; at += 50) {
            settling.changed(List.of(ONE), millis(at));
            assertThat(settling.settled(millis(at))).isEmpty();
        }
        assertThat(settling.due(millis(990))).isEqualTo(Duration.ofMillis(10));
        assertThat(settling.settled(millis(1000))).containsExactly(ONE);
    }

    /** As with {@code rm} and {@code cp}. */
    @Test
    void aFileThatIsBackWithinASecondWasNeverGone() {
        there.remove(ONE);
        settling.changed(List.of(ONE), millis(0));
        assertThat(settling.settled(millis(500))).isEmpty();
        there.add(ONE);
        settling.changed(List.of(ONE), millis(950));
        assertThat(settling.settled(millis(1000))).isEmpty();
        assertThat(settling.settled(millis(1050))).containsExactly(ONE);
    }

    @Test
    void aFileThatStaysAwayIsGone() {
        there.remove(ONE);
        settling.changed(List.of(ONE, TWO), millis(0));
        assertThat(settling.settled(millis(100))).containsExactly(TWO);
        assertThat(settling.due(millis(100))).isEqualTo(Duration.ofMillis(900));
        assertThat(settling.settled(millis(999))).isEmpty();
        assertThat(settling.settled(millis(1000))).containsExactly(ONE);
        assertThat(settling.settled(millis(3000))).isEmpty();
    }

    /** As when a folder below is moved away, which only its parent tells. */
    @Test
    void aFileThatAReadingMissesIsGoneASecondLater() {
        settling.changed(List.of(ONE.getParent()), millis(0));
        there.add(ONE.getParent());
        there.remove(ONE);
        assertThat(settling.settled(millis(100))).containsExactly(ONE.getParent());
        assertThat(settling.isGone(ONE, millis(100))).isFalse();
        assertThat(settling.due(millis(100))).isEqualTo(Settling.ABSENCE);
        assertThat(settling.settled(millis(1100))).containsExactly(ONE);
        assertThat(settling.isGone(ONE, millis(1100))).isTrue();
    }

    @Test
    void aFileThatIsBackAfterAReadingMissedItWasNeverGone() {
        there.remove(ONE);
        assertThat(settling.isGone(ONE, millis(0))).isFalse();
        there.add(ONE);
        assertThat(settling.settled(millis(1000))).isEmpty();
    }

    @Test
    void whatIsBelowAFolderThatIsGoneIsGoneWithIt() {
        there.clear();
        settling.changed(List.of(ONE.getParent()), millis(0));
        assertThat(settling.settled(millis(1000))).containsExactly(ONE.getParent());
        assertThat(settling.isGone(ONE, millis(1000))).isTrue();
    }

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }
}
