package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.status.Address;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SnapshotTest {
    private static final Namespace A = new Namespace(Metadata.named("", "a"));
    private static final Namespace B = new Namespace(Metadata.named("", "b"));
    private static final ConfigMap MAP = new ConfigMap(Metadata.named("a", "b"), Map.of("k", "v"));

    @Test
    void objectsAreKeptByKindInOrderOfName() {
        Snapshot snapshot = Snapshot.of(List.of(B, MAP, A));
        assertThat(snapshot.all(Namespace.class)).containsExactly(A, B);
        assertThat(snapshot.all(ConfigMap.class)).containsExactly(MAP);
        assertThat(snapshot.find(ConfigMap.class, new Name("a", "b"))).contains(MAP);
        assertThat(snapshot.find(Namespace.class, new Name("a", "b"))).isEmpty();
    }

    @Test
    void aChangedCopyLeavesTheOriginalAlone() {
        Snapshot before = Snapshot.of(List.of(A));
        Snapshot after = before.with(B).without(Namespace.class, A.meta().name());
        assertThat(before.all(Namespace.class)).containsExactly(A);
        assertThat(after.all(Namespace.class)).containsExactly(B);
        assertThat(after).isEqualTo(Snapshot.of(List.of(B))).hasSameHashCodeAs(Snapshot.of(List.of(B)));
    }

    @Test
    void theWayToASnapshotDoesNotShow() {
        assertThat(Snapshot.of(List.of(A))
                        .with(MAP)
                        .without(ConfigMap.class, MAP.meta().name()))
                .isEqualTo(Snapshot.of(List.of(A)));
        assertThat(Snapshot.empty()).isEqualTo(Snapshot.of(List.of()));
    }

    @Test
    void whatDiffersInOneKindAlone() {
        Snapshot one = Snapshot.of(List.of(A, MAP));
        assertThat(one.differsOnlyIn(Namespace.class, one)).isTrue();
        assertThat(one.with(B).differsOnlyIn(Namespace.class, one)).isTrue();
        assertThat(one.with(B).differsOnlyIn(ConfigMap.class, one)).isFalse();
        assertThat(one.differsOnlyIn(
                        ConfigMap.class, one.without(ConfigMap.class, MAP.meta().name())))
                .isTrue();
        assertThat(one.differsOnlyIn(
                        Namespace.class, one.without(ConfigMap.class, MAP.meta().name())))
                .isFalse();
        assertThat(one.without(ConfigMap.class, MAP.meta().name()).differsOnlyIn(Namespace.class, one))
                .isFalse();
        assertThat(one.differsOnlyIn(Namespace.class, one.reported(Map.of(new Name("a", "gw"), DataPlane.serving()))))
                .isFalse();
    }

    @Test
    void reportsOfDataPlanesAreCompared() {
        Name gateway = new Name("a", "gw");
        DataPlane report = DataPlane.serving(new Address("IPAddress", "192.0.2.1"));
        Snapshot reported = Snapshot.empty().reported(Map.of(gateway, report));
        assertThat(reported.dataPlane(gateway)).contains(report);
        assertThat(reported).isNotEqualTo(Snapshot.empty());
        assertThat(Snapshot.empty().dataPlane(gateway)).isEmpty();
    }
}
