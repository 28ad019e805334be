package dev.shellac.explain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StableHashTest {
    @Test
    void theNumberIsTheRoutersOwn() {
        assertThat(Long.toUnsignedString(StableHash.of("example.com", "/"))).isEqualTo("11594748233673147078");
    }

    @Test
    void partsAreToldApart() {
        assertThat(StableHash.of("ab", "c")).isNotEqualTo(StableHash.of("a", "bc"));
    }
}
