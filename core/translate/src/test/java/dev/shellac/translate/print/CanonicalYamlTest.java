package dev.shellac.translate.print;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.ListenerSetStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class CanonicalYamlTest {
    @Test
    void scalars() {
        assertThat(CanonicalYaml.print("plain text")).isEqualTo("plain text\n");
        assertThat(CanonicalYaml.print("80")).isEqualTo("\"80\"\n");
        assertThat(CanonicalYaml.print("yes")).isEqualTo("\"yes\"\n");
        assertThat(CanonicalYaml.print("a: b")).isEqualTo("\"a: b\"\n");
        assertThat(CanonicalYaml.print("a\n\"b\\")).isEqualTo("\"a\\n\\\"b\\\\\"\n");
        assertThat(CanonicalYaml.print(new Port(80))).isEqualTo("80\n");
        assertThat(CanonicalYaml.print(new Name("ns", "n"))).isEqualTo("ns/n\n");
        assertThat(CanonicalYaml.print(Duration.ofSeconds(2))).isEqualTo("\"2000ms\"\n");
        assertThat(CanonicalYaml.print(Map.of())).isEqualTo("{}\n");
        assertThat(CanonicalYaml.print(List.of())).isEqualTo("[]\n");
    }

    @Test
    void nestedCollections() {
        var map =
                new TreeMap<String, Object>(Map.of("b", List.of(1, Map.of("x", List.of("y"))), "a", Optional.of(true)));
        assertThat(CanonicalYaml.print(map)).isEqualTo("""
                a: true
                b:
                - 1
                - x:
                  - y
                """);
    }

    @Test
    void aRecordThatIsOneOfSeveralSaysWhich() {
        assertThat(CanonicalYaml.print(new PathMatch.Exact("/a"))).isEqualTo("is: exact\npath: /a\n");
    }

    @Test
    void emptyPartsAreLeftOutAndWrappersDoNotShow() {
        var condition = new Condition("T", Condition.State.TRUE, "R", "", 1, Optional.empty());
        assertThat(CanonicalYaml.print(new ListenerSetStatus(ConditionSet.of(condition), List.of())))
                .isEqualTo("""
                conditions:
                - type: T
                  state: "True"
                  reason: R
                  observedGeneration: 1
                """);
    }
}
