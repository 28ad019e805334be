package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.model.LabelSelector.Operator;
import dev.shellac.model.LabelSelector.Requirement;
import dev.shellac.model.gateway.NamespacePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The small values that objects are made of. */
final class ValuesTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65_536})
    void noPortOutOfRange(int value) {
        assertThatThrownBy(() -> new Port(value)).hasMessageContaining(String.valueOf(value));
    }

    @Test
    void aSecretIsComparedAndNeverShown() {
        Secret secret = Secret.of("hunter2".getBytes(StandardCharsets.UTF_8));
        assertThat(secret).hasToString("Secret(7 bytes)");
        assertThat(secret)
                .isEqualTo(Secret.of("hunter2".getBytes(StandardCharsets.UTF_8)))
                .isNotEqualTo(Secret.of("hunter3".getBytes(StandardCharsets.UTF_8)));
        assertThat(secret.<String>reveal(bytes -> new String(bytes, StandardCharsets.UTF_8)))
                .isEqualTo("hunter2");
    }

    @Test
    void aSecretDoesNotChangeWithTheBytesItWasMadeOf() {
        byte[] bytes = {1, 2};
        Secret secret = Secret.of(bytes);
        bytes[0] = 9;
        secret.<Object>reveal(seen -> {
            seen[1] = 9;
            return seen;
        });
        assertThat(secret).isEqualTo(Secret.of(new byte[] {1, 2}));
    }

    @ParameterizedTest
    @CsvSource({
        "IN, a, true",
        "IN, b, false",
        "IN, '', false",
        "NOT_IN, a, false",
        "NOT_IN, b, true",
        "NOT_IN, '', true",
        "EXISTS, b, true",
        "EXISTS, '', false",
        "DOES_NOT_EXIST, b, false",
        "DOES_NOT_EXIST, '', true",
    })
    void selectorExpressions(Operator operator, String label, boolean accepted) {
        var selector = new LabelSelector(Map.of(), List.of(new Requirement("team", operator, List.of("a"))));
        Map<String, String> labels = label.isEmpty() ? Map.of() : Map.of("team", label);
        assertThat(selector.accepts(labels)).isEqualTo(accepted);
    }

    @Test
    void aSelectorAsksForAllOfItsParts() {
        var selector =
                new LabelSelector(Map.of("team", "a"), List.of(new Requirement("tier", Operator.EXISTS, List.of())));
        assertThat(selector.accepts(Map.of("team", "a", "tier", "x"))).isTrue();
        assertThat(selector.accepts(Map.of("team", "a"))).isFalse();
        assertThat(selector.accepts(Map.of("team", "b", "tier", "x"))).isFalse();
    }

    @Test
    void whoMayComeFromWhere() {
        Map<String, String> labels = Map.of("team", "a");
        var selected = new NamespacePolicy.Selected(Optional.of(new LabelSelector(labels, List.of())));
        assertThat(new NamespacePolicy.All().admits("x", Map.of(), "y")).isTrue();
        assertThat(new NamespacePolicy.None().admits("y", Map.of(), "y")).isFalse();
        assertThat(new NamespacePolicy.Same().admits("y", Map.of(), "y")).isTrue();
        assertThat(new NamespacePolicy.Same().admits("x", Map.of(), "y")).isFalse();
        assertThat(selected.admits("x", labels, "y")).isTrue();
        assertThat(selected.admits("x", Map.of(), "y")).isFalse();
        assertThat(new NamespacePolicy.Selected(Optional.empty()).admits("y", labels, "y"))
                .isFalse();
    }

    @Test
    void theOldestIsFirstAndNoTimeIsNewest() {
        Metadata old = aged("z", Instant.EPOCH);
        Metadata young = aged("a", Instant.EPOCH.plusSeconds(1));
        Metadata timeless = Metadata.named("a", "a");
        assertThat(List.of(timeless, young, old).stream().sorted(Metadata.byAge()))
                .containsExactly(old, young, timeless);
        assertThat(Metadata.byAge().compare(timeless, Metadata.named("a", "b"))).isNegative();
    }

    private static Metadata aged(String name, Instant created) {
        return new Metadata(new Name("ns", name), "", 0, Optional.of(created), Optional.empty(), Map.of(), Map.of());
    }
}
