package dev.shellac.operator.children;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.model.gateway.Gateway;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** routing.json has three forms; the pod's side of each is tested in the chaperone. */
final class ConfigMapsTest {
    private static final Gateway GATEWAY =
            Inputs.of(Map.of("gateway.yaml", """
            apiVersion: gateway.networking.k8s.io/v1
            kind: GatewayClass
            metadata: {name: varnish}
            spec: {controllerName: varnish-software.com/gateway}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: shop}
            spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}]}
            """)).gateway();

    @Test
    void smallIsPlain() {
        String routing = "x".repeat(ConfigMaps.MOST_PLAIN);
        ConfigMap only = only(
                ConfigMaps.of(GATEWAY, new Configuration(Optional.of("vcl"), routing, Map.of("haproxy.cfg", "edge"))));
        assertThat(only.getData()).isEqualTo(Map.of("main.vcl", "vcl", "routing.json", routing, "haproxy.cfg", "edge"));
        assertThat(only.getBinaryData()).isEmpty();
    }

    @Test
    void largerIsCompressed() throws IOException {
        String routing = "x".repeat(ConfigMaps.MOST_PLAIN + 1);
        ConfigMap only = only(ConfigMaps.of(GATEWAY, new Configuration(Optional.of("vcl"), routing, Map.of())));
        assertThat(only.getData()).containsOnlyKeys("main.vcl");
        assertThat(unzip(decoded(only, "routing.json.gz"))).isEqualTo(routing);
    }

    @Test
    void changesArePlainWhileTheyAreFewAndThenCompressed() throws IOException {
        String few = "x".repeat(ConfigMaps.MOST_PLAIN_CHANGES);
        ConfigMap plain = ConfigMaps.changes(GATEWAY, "sha256:1", few);
        assertThat(plain.getData()).isEqualTo(Map.of("base", "sha256:1", "routing.changes.json", few));
        assertThat(plain.getBinaryData()).isEmpty();
        ConfigMap more = ConfigMaps.changes(GATEWAY, "sha256:1", few + "y");
        assertThat(more.getData()).isEqualTo(Map.of("base", "sha256:1"));
        assertThat(unzip(decoded(more, "routing.changes.json.gz"))).isEqualTo(few + "y");
    }

    @Test
    void besideALongVclItIsCompressedEarlier() {
        var configuration =
                new Configuration(Optional.of("v".repeat(ConfigMaps.MOST_BYTES - 100)), "x".repeat(5000), Map.of());
        ConfigMap only = only(ConfigMaps.of(GATEWAY, configuration));
        assertThat(only.getBinaryData()).containsKey("routing.json.gz");
    }

    @Test
    void whatDoesNotFitIsCutIntoPartsThatComeFirst() throws IOException {
        String routing = noise(2_500_000);
        List<ConfigMap> maps = ConfigMaps.of(GATEWAY, new Configuration(Optional.of("vcl"), routing, Map.of()));
        assertThat(maps)
                .extracting(map -> map.getMetadata().getName())
                .containsExactly("edge-vcl-1", "edge-vcl-2", "edge-vcl-3", "edge-vcl");
        var whole = new ByteArrayOutputStream();
        for (ConfigMap part : maps.subList(0, 3)) {
            byte[] bytes = decoded(part, "routing.json.gz.part");
            assertThat(bytes.length).isLessThanOrEqualTo(ConfigMaps.MOST_BYTES);
            assertThat(maps.getLast().getData().get("routing.parts")).contains(Names.sha256(bytes));
            whole.writeBytes(bytes);
        }
        assertThat(unzip(whole.toByteArray())).isEqualTo(routing);
        assertThat(ConfigMaps.of(GATEWAY, new Configuration(Optional.of("vcl"), routing, Map.of())))
                .as("the same bytes for the same routes")
                .isEqualTo(maps);
    }

    @Test
    void thereIsAnEnd() {
        var configuration = new Configuration(Optional.of("vcl"), noise(12_000_000), Map.of());
        assertThatThrownBy(() -> ConfigMaps.of(GATEWAY, configuration))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is room for 7372800");
    }

    private static ConfigMap only(List<ConfigMap> maps) {
        assertThat(maps).hasSize(1);
        return maps.getFirst();
    }

    private static byte[] decoded(ConfigMap map, String key) {
        return Base64.getDecoder().decode(map.getBinaryData().get(key));
    }

    private static String unzip(byte[] bytes) throws IOException {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private static String noise(int length) {
        return new Random(1)
                .ints(length, ' ', '~')
                .mapToObj(letter -> String.valueOf((char) letter))
                .collect(Collectors.joining());
    }
}
