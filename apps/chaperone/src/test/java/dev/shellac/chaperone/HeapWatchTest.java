package dev.shellac.chaperone;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HeapWatchTest {
    private static final long START = 24L << 20;

    private long size = START;
    private long rounds;
    private int collections;
    private final HeapWatch watch = new HeapWatch(() -> size, () -> rounds, () -> {
        collections++;
        size = START;
    });

    @Test
    void aHeapThatDoesNotGrowIsLeftAlone() {
        size += HeapWatch.GROWN - 1;
        watch.look();
        watch.look();
        assertThat(collections).isZero();
    }

    @Test
    void aHeapThatHasGrownIsCollectedWhenNothingIsBeingDone() {
        size += HeapWatch.GROWN;
        rounds++;
        watch.look();
        assertThat(collections).isZero();
        watch.look();
        watch.look();
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void aHeapThatHasGrownMuchIsCollectedThoughMuchIsBeingDone() {
        size += HeapWatch.GROWN_MUCH;
        rounds++;
        watch.look();
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void whatStaysAfterwardsIsNoGrowth() {
        var kept = new HeapWatch(() -> size, () -> rounds, () -> collections++);
        size += HeapWatch.GROWN;
        kept.look();
        kept.look();
        assertThat(collections).isEqualTo(1);
    }
}
