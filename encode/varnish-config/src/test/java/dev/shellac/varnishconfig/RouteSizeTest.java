package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.translate.plan.RouteSize;
import dev.shellac.varnishconfig.routing.RoutingJson;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A route takes at most 1 MiB of routing.json, or it is refused before anything of it is built. */
final class RouteSizeTest {
    private static final int ROUTES = 40;
    private static final int HEAD = 1024;

    private final Random random = new Random(20261118);

    @Test
    void whatARouteComesToIsWithinTheBoundOrRefused() {
        int refused = 0;
        int largest = 0;
        for (int i = 0; i < ROUTES; i++) {
            int size = size(1 + random.nextInt(16), 1 + random.nextInt(8), 1 + random.nextInt(16), random.nextInt(800));
            assertThat(size).isLessThanOrEqualTo((int) RouteSize.MOST_BYTES + HEAD);
            refused += size <= HEAD ? 1 : 0;
            largest = Math.max(largest, size);
        }
        assertThat(refused).isBetween(1, ROUTES - 1);
        assertThat(largest).as("the estimate is not far above the truth").isGreaterThan((int) RouteSize.MOST_BYTES / 4);
    }

    @Test
    void theWorstRouteIsRefusedAndAnOrdinaryOneIsNot() {
        assertThat(size(16, 8, 16, 4000)).isLessThan(HEAD);
        assertThat(size(16, 8, 1, 40)).isGreaterThan(100_000);
    }

    // The bytes of routing.json for a route of so many rules, matches in each and hostnames, with a header of this
    // length.
    private static int size(int rules, int matches, int hostnames, int header) {
        String route = IntStream.range(0, rules)
                .mapToObj(r -> "  - matches:\n"
                        + IntStream.range(0, matches)
                                .mapToObj(m -> "    - path: {type: PathPrefix, value: /r" + r + "/m" + m + "}\n")
                                .collect(Collectors.joining())
                        + "    filters:\n    - type: RequestHeaderModifier\n      requestHeaderModifier: {set: [{name: x, value: \""
                        + "v".repeat(header + 1)
                        + "\"}]}\n    backendRefs: [{name: a, port: 80}, {name: b, port: 80}]\n")
                .collect(Collectors.joining());
        String hosts = IntStream.range(0, hostnames)
                .mapToObj(h -> "h" + h + ".example.com")
                .collect(Collectors.joining(", "));
        String yaml = """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: varnish}
                spec: {controllerName: varnish-software.com/gateway}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: web, namespace: shop}
                spec:
                  gatewayClassName: varnish
                  listeners: [{name: http, protocol: HTTP, port: 80}]
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: shop}
                spec:
                  parentRefs: [{name: web}]
                  hostnames: [%s]
                  rules:
                """.formatted(hosts) + route;
        return new RoutingJson()
                .encode(Inputs.of(Map.of("a.yaml", yaml)).plan())
                .getBytes(UTF_8)
                .length;
    }
}
