package dev.shellac.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.gateway.Gateway;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands without quotes, as the API server reads it. {@link ApiServerParity} asks the server itself. */
final class ScalarsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"y", "Y", "n", "N", "yes", "off", "true", "0o17", "0X1f", "0x1f", "017", "1_000", "1.5", "[]"})
    void noText(String scalar) {
        assertThat(Yaml.messages(map(scalar))).singleElement().asString().contains("data.a: must be text");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'y'", "\"N\"", "'0o17'", "yy", "0o8", "0Xg", "nO", "1:30", "2026-01-01"})
    void text(String scalar) {
        assertThat(Yaml.only(ConfigMap.class, map(scalar)).texts())
                .isEqualTo(Map.of("a", scalar.replaceAll("['\"]", "")));
    }

    @Test
    void textInABlock() {
        assertThat(Yaml.only(ConfigMap.class, "# ü 😀\n" + map("|-\n    y\n  b: >-\n    n"))
                        .texts())
                .isEqualTo(Map.of("a", "y", "b", "n"));
    }

    @Test
    @Timeout(20)
    void aMillionOfThem() {
        assertThat(Yaml.messages(map("1") + "more: [😀, " + "y, ".repeat(1_000_000) + "'y']\n"))
                .singleElement()
                .asString()
                .contains("data.a: must be text");
    }

    @Test
    void nothingIsEmptyTextOrNotThere() {
        assertThat(Yaml.only(ConfigMap.class, map("~")).texts()).isEqualTo(Map.of("a", ""));
        assertThat(Yaml.only(
                                Gateway.class,
                                Yaml.object(
                                        "gateway.networking.k8s.io/v1",
                                        "Gateway",
                                        "{gatewayClassName: c, infrastructure: {labels: {a: null, b: c}}, listeners:"
                                                + " [{name: a, port: 80, protocol: HTTP}]}"))
                        .infrastructure()
                        .labels())
                .isEqualTo(Map.of("b", "c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.4", "01.002.3.255", "::1", "::", "2001:db8::1", "::ffff:1.2.3.4"})
    void addresses(String address) {
        assertThat(Yaml.only(
                                Gateway.class,
                                Yaml.object(
                                        "gateway.networking.k8s.io/v1",
                                        "Gateway",
                                        "{gatewayClassName: c, addresses: [{value: '" + address
                                                + "'}], listeners: [{name: a, port: 80, protocol: HTTP}]}"))
                        .addresses())
                .singleElement()
                .satisfies(found -> assertThat(found.value()).contains(address));
    }

    private static String map(String scalar) {
        return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: " + scalar + "\n";
    }
}
