package dev.shellac.varnishconfig.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.varnishconfig.Inputs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What an encoder remembers, and what it does with an odd input. */
final class GhostJsonTest {
    private static final PersistentList<RoutePlan> NO_ROUTES =
            PersistentList.of(Precedence.FIRST_TRIED_FIRST, List.<RoutePlan>of());
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
    void aRouteThatStayedIsNotEncodedAgain() {
        HostPlan before = host("/a/b", "/b");
        HostPlan after = new HostPlan(
                before.hostname(),
                before.routes().with(host("/a/b", "/b", "/c").routes().getLast()));
        HostJson last = encoded(HostJson.empty(before.hostname()), NO_ROUTES, before.routes());
        HostJson next = encoded(last, before.routes(), after.routes());

        assertThat(after.routes()).hasSize(3);
        before.routes()
                .forEach(route -> assertThat(next.routes().get(route))
                        .isNotNull()
                        .isSameAs(last.routes().get(route)));
    }

    @Test
    void aChangedHostIsEncodedAgain() {
        HostPlan before = host("/a");
        HostPlan after = host("/z");
        HostJson last = encoded(HostJson.empty(before.hostname()), NO_ROUTES, before.routes());
        assertThat(text(encoded(last, before.routes(), after.routes())))
                .contains("/z")
                .doesNotContain("\"/a\"")
                .isEqualTo(text(encoded(HostJson.empty(before.hostname()), NO_ROUTES, after.routes())));
    }

    // Two routes that match alike are tried oldest first, and their age is not in the table but for the order.
    @Test
    void theOrderOfRoutesCounts() {
        GhostTable one = twins("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        GhostTable other = twins("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z");
        assertThat(one.length()).isEqualTo(other.length());
        assertThat(one.hash()).isNotEqualTo(other.hash());
        assertThat(one).isNotEqualTo(other).isEqualTo(twins("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"));
    }

    private static GhostTable twins(String first, String second) {
        String route = """
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s, namespace: shop, creationTimestamp: '%s'}
                spec: {parentRefs: [{name: edge}], hostnames: [a.example.com]}
                """;
        Inputs inputs =
                Inputs.of(Map.of("all.yaml", GATEWAY + route.formatted("one", first) + route.formatted("two", second)));
        return new GhostJson().encode(inputs.plan(), inputs.slices(), inputs.sockets());
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

    private static HostJson encoded(HostJson last, PersistentList<RoutePlan> before, PersistentList<RoutePlan> after) {
        return last.changed(after.changesSince(before), new TableHashEdit());
    }

    private static String text(HostJson host) {
        var target = ByteBuffer.allocate(host.length());
        host.copyTo(target);
        assertThat(target.hasRemaining()).isFalse();
        return text(target.array());
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
