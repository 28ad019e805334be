package dev.shellac.varnishconfig.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.varnishconfig.Inputs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What an encoder remembers, and what it does with an odd input. */
final class GhostJsonTest {
    private static final String GATEWAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: GatewayClass
            metadata: {name: varnish}
            spec: {controllerName: varnish-software.com/gateway}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: shop}
            spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: api, namespace: shop}
            spec: {ports: [{port: 80, targetPort: 8080}]}
            ---
            """;

    @Test
    void anEqualHostIsNotEncodedAgain() {
        HostPlan first = host("/a", "/b");
        HostPlan equal = host("/a", "/b");
        HostJson encoded = HostJson.of(first, null);

        assertThat(equal).isEqualTo(first).isNotSameAs(first);
        assertThat(HostJson.of(equal, encoded)).isSameAs(encoded);
    }

    @Test
    void aRouteThatStayedIsNotEncodedAgain() {
        HostPlan before = host("/a/b", "/b");
        HostPlan other = host("/a/b", "/c");
        var after = new HostPlan(
                before.hostname(),
                List.of(
                        before.routes().getFirst(),
                        other.routes().getLast(),
                        before.routes().getLast()));
        HostJson last = HostJson.of(before, null);
        HostJson next = HostJson.of(after, last);

        assertThat(next.routes().get(0)).isSameAs(last.routes().get(0));
        assertThat(next.routes().get(2)).isSameAs(last.routes().get(1));
        assertThat(next.value().json())
                .isEqualTo(HostJson.of(after, null).value().json());
    }

    @Test
    void aChangedHostIsEncodedAgain() {
        HostJson last = HostJson.of(host("/a"), null);
        assertThat(text(HostJson.of(host("/z"), last).value().json()))
                .contains("/z")
                .doesNotContain("\"/a\"");
    }

    @Test
    void aPortThatNobodyListensOnIsLeftOut() {
        Inputs inputs = inputs("/a");
        SocketMap sockets =
                SocketMap.of(Map.of("pool-0", Set.of(new Port(80), new Port(81)), "pool-1", Set.of(new Port(82))));
        assertThat(text(new GhostJson()
                        .encode(inputs.plan(), inputs.slices(), sockets)
                        .bytes()))
                .contains("\"sockets\":{\"pool-0\":{\"80\":[\"shop/edge/web\"]},\"pool-1\":{}}");
    }

    @Test
    void aBadAddressCostsItselfAlone() {
        Inputs inputs = inputs("/a", slice("10.0.0.1", "10.0.0.300", "fe80::1"));
        assertThat(table(inputs)).contains("\"backends\":[{\"address\":\"10.0.0.1\",\"port\":8080}]");
    }

    @Test
    void noMoreEndpointsThanGhostTakes() {
        var addresses = new String[Pool.MOST_ENDPOINTS + 1];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = "10.0." + i / 250 + "." + i % 250;
        }
        assertThat(table(inputs("/a", slice(addresses))).split("\"address\"", -1))
                .hasSize(Pool.MOST_ENDPOINTS + 1);
    }

    @Test
    void nobodyCanChangeATable() {
        Inputs inputs = inputs("/a");
        GhostTable table = new GhostJson().encode(inputs.plan(), inputs.slices(), inputs.sockets());
        table.bytes()[0] = 'x';
        assertThat(table.bytes()[0]).isEqualTo((byte) '{');
    }

    private static String table(Inputs inputs) {
        return text(new GhostJson()
                .encode(inputs.plan(), inputs.slices(), inputs.sockets())
                .bytes());
    }

    private static HostPlan host(String... paths) {
        var rules = new StringBuilder();
        for (String path : paths) {
            rules.append("    - {matches: [{path: {value: ")
                    .append(path)
                    .append("}}], backendRefs: [{name: api, port: 80}]}\n");
        }
        HostPlan found = inputsOf(rules.toString(), "").plan().hosts().getFirst();
        assertThat(found.hostname()).isEqualTo(new Hostname("a.example.com"));
        return found;
    }

    private static Inputs inputs(String path) {
        return inputs(path, "");
    }

    private static Inputs inputs(String path, String slice) {
        return inputsOf(
                "    - {matches: [{path: {value: " + path + "}}], backendRefs: [{name: api, port: 80}]}\n", slice);
    }

    private static Inputs inputsOf(String rules, String slice) {
        return Inputs.of(Map.of("all.yaml", GATEWAY + """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: api, namespace: shop}
                spec:
                  parentRefs: [{name: edge}]
                  hostnames: [a.example.com]
                  rules:
                """ + rules + slice));
    }

    private static String slice(String... addresses) {
        var yaml = new StringBuilder("""
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: api-1, namespace: shop, labels: {kubernetes.io/service-name: api}}
                addressType: IPv4
                ports: [{port: 8080}]
                endpoints:
                """);
        for (String address : addresses) {
            yaml.append("- {addresses: [\"").append(address).append("\"]}\n");
        }
        return yaml.toString();
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}
