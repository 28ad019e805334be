package dev.shellac.varnishconfig;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check that the goldens rely on does find something. */
final class GhostSchemaTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"version\":3}",
                "{\"version\":2,\"vhosts\":{\"a\":{\"routes\":[{\"method\":\"get\"}]}}}",
                "{\"version\":2,\"pools\":{\"a\":{\"backends\":[{\"address\":\"10.0.0.1\"}]}}}"
            })
    void aWrongTableIsFound(String table) {
        assertThatThrownBy(() -> GhostSchema.check(table)).isInstanceOf(AssertionError.class);
    }
}
