package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.status.Address;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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
    void itTellsWhatChanged() {
        Snapshot one = Snapshot.of(List.of(A, MAP));
        assertThat(one.changesSince(one, Namespace.class)).isEmpty();
        assertThat(one.with(B).changesSince(one, Namespace.class))
                .containsExactly(new Change<>(B.meta().name(), Optional.empty(), Optional.of(B)));
        assertThat(one.changesSince(one.with(B), Namespace.class))
                .containsExactly(new Change<>(B.meta().name(), Optional.of(B), Optional.empty()));
        assertThat(one.with(B).changesSince(one, ConfigMap.class)).isEmpty();
        assertThat(one.changesSince(Snapshot.empty(), ConfigMap.class)).hasSize(1);
    }

    @Test
    void nothingNewIsTheSameSnapshot() {
        Snapshot one = Snapshot.of(List.of(A, MAP));
        assertThat(one.with(new Namespace(Metadata.named("", "a")))).isSameAs(one);
        assertThat(one.without(Namespace.class, new Name("", "b"))).isSameAs(one);
    }

    @Test
    void theObjectsOfOneNamespace() {
        List<ConfigMap> maps = Stream.of("a", "a-b", "aa", "b")
                .flatMap(namespace -> Stream.of("", "m").map(name -> Metadata.named(namespace, "x" + name)))
                .map(meta -> new ConfigMap(meta, Map.of()))
                .toList();
        assertThat(Snapshot.of(maps).allIn(ConfigMap.class, "a")).containsExactly(maps.get(0), maps.get(1));
        assertThat(Snapshot.of(maps).allIn(ConfigMap.class, "c")).isEmpty();
    }

    @Test
    void reportsOfDataPlanesAreCompared() {
        Name gateway = new Name("a", "gw");
        DataPlane report = DataPlane.serving(new Address("IPAddress", "192.0.2.1"));
        Snapshot reported = Snapshot.empty().reported(Map.of(gateway, report));
        assertThat(reported.dataPlane(gateway)).contains(report);
        assertThat(reported).isNotEqualTo(Snapshot.empty());
        assertThat(Snapshot.empty().dataPlane(gateway)).isEmpty();
        assertThat(reported.reportsSince(Snapshot.empty()))
                .containsExactly(new Change<>(gateway, Optional.empty(), Optional.of(report)));
        assertThat(reported.reportsSince(Snapshot.empty().reported(Map.of(gateway, report))))
                .isEmpty();
    }
}
