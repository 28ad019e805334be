package dev.shellac.translate.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.policy.ConnectionLimits;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EdgeMemoryTest {
    private static final long MEBI = 1L << 20;
    private static final CacheStorage OURS = CacheStorage.of(Optional.empty());

    private static ConnectionLimits most(int connections) {
        ConnectionLimits usual = ConnectionLimits.USUAL;
        return new ConnectionLimits(
                Optional.of(connections), usual.perClient(), usual.addresses(), usual.threads(), usual.timeouts());
    }

    private static MemoryBudget limit(long mebi) {
        return MemoryBudget.of(Optional.of(mebi * MEBI));
    }

    @Test
    void connectionsAndCertificatesShareWhatThereIs() {
        assertThat(EdgeMemory.connections(limit(512), ConnectionLimits.USUAL, 0))
                .hasValue(472);
        assertThat(EdgeMemory.connections(limit(512), ConnectionLimits.USUAL, 200))
                .hasValue(349);
        assertThat(EdgeMemory.connections(limit(512), ConnectionLimits.USUAL, 2000))
                .hasValue(64);
        assertThat(EdgeMemory.connections(limit(512), most(10_000), 2000)).hasValue(10_000);
        assertThat(EdgeMemory.connections(MemoryBudget.of(Optional.empty()), ConnectionLimits.USUAL, 0))
                .isEmpty();
    }

    @Test
    void moreConnectionsLeaveLessStorage() {
        MemoryBudget budget = limit(2048);
        assertThat(EdgeMemory.refusal(budget, OURS, most(10_000))).isEmpty();
        assertThat(budget.withEdge(EdgeMemory.of(most(10_000)).all()).storage()).isLessThan(budget.storage());
        assertThat(budget.withEdge(EdgeMemory.of(most(100)).all())).isEqualTo(budget);
    }

    @Test
    void whatDoesNotFitIsRefusedWithTheArithmetic() {
        assertThat(EdgeMemory.refusal(limit(512), OURS, most(10_000)))
                .hasValueSatisfying(words -> assertThat(words)
                        .startsWith("connections: 10000 connections and 2 threads of HAProxy take 515 MiB; ")
                        .contains("of the limit of 512 MiB, the chaperone takes "));
        assertThat(EdgeMemory.refusal(MemoryBudget.of(Optional.empty()), OURS, most(1_000_000)))
                .isEmpty();
    }
}
