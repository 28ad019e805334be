package dev.shellac.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.Condition;
import dev.shellac.translate.plan.TableBudget;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a route's author sees when its Gateway has no room for it, and when it has again. */
final class TableRoomTest {
    private static final Name FULL = new Name("infra", "full");

    // A route of these takes some 700 bytes; the other Gateway has room for all of them.
    private final Translator translator = new Translator(
            Settings.alone(),
            (snapshot, gateway) ->
                    new TableBudget("infra", gateway.meta().name().equals(FULL) ? 5_000 : 80_000));

    @Test
    void theNewestRoutesOfANamespaceAreRefusedInTheirStatusAndNobodyElses() {
        Outcome outcome = translator.translate(routes(8).with(route("other", "small", 9)));
        assertThat(accepted(outcome, "team", "r0", "full").holds()).isTrue();
        Condition refused = accepted(outcome, "team", "r7", "full");
        assertThat(refused.holds()).isFalse();
        assertThat(refused.reason()).isEqualTo("UnsupportedValue");
        assertThat(refused.message())
                .matches(
                        "the pods of Gateway infra/full have no room for this route: it takes up to \\d+ bytes of their"
                                + " table, and together with the older routes of namespace team more than 2500, the namespace's"
                                + " share of 5000: delete routes of the namespace or make them smaller, or give the pods more"
                                + " memory");
        assertThat(accepted(outcome, "team", "r7", "roomy").holds())
                .as("at another Gateway")
                .isTrue();
        assertThat(accepted(outcome, "other", "small", "full").holds())
                .as("of another namespace, though newer")
                .isTrue();
        assertThat(hosts(outcome, "full"))
                .contains("r0.example.com", "small.example.com")
                .doesNotContain("r7.example.com");
        assertThat(hosts(outcome, "roomy")).contains("r7.example.com");
    }

    @Test
    void aRouteIsServedWhenOlderOnesHaveGone() {
        Snapshot all = routes(8);
        translator.translate(all);
        Snapshot fewer = all.without(HttpRoute.class, new Name("team", "r0"))
                .without(HttpRoute.class, new Name("team", "r1"))
                .without(HttpRoute.class, new Name("team", "r2"))
                .without(HttpRoute.class, new Name("team", "r3"));
        Outcome outcome = translator.translate(fewer);
        assertThat(accepted(outcome, "team", "r7", "full").holds()).isTrue();
        assertThat(hosts(outcome, "full")).contains("r7.example.com");
        assertThat(hosts(translator.translate(all), "full")).doesNotContain("r7.example.com");
    }

    private static Condition accepted(Outcome outcome, String namespace, String route, String gateway) {
        return Optional.ofNullable(outcome.statuses().httpRoutes().get(new Name(namespace, route))).stream()
                .flatMap(status -> status.parents().stream())
                .filter(parent -> parent.parentRef().name().equals(gateway))
                .flatMap(parent -> parent.conditions().find("Accepted").stream())
                .findFirst()
                .orElseThrow();
    }

    private static Set<String> hosts(Outcome outcome, String gateway) {
        return Optional.ofNullable(outcome.plans().get(new Name("infra", gateway))).stream()
                .flatMap(plan -> plan.hosts().stream())
                .map(host -> host.hostname().value())
                .collect(Collectors.toSet());
    }

    private static Snapshot routes(int count) {
        Snapshot snapshot = snapshot("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: varnish}
                spec: {controllerName: varnish-software.com/gateway}
                """ + gateway("full") + gateway("roomy"));
        for (HttpRoute route : IntStream.range(0, count)
                .mapToObj(i -> route("team", "r" + i, i))
                .toList()) {
            snapshot = snapshot.with(route);
        }
        return snapshot;
    }

    private static String gateway(String name) {
        return "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: " + name
                + ", namespace: infra}\nspec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP,"
                + " allowedRoutes: {namespaces: {from: All}}}]}\n";
    }

    private static HttpRoute route(String namespace, String name, int second) {
        return snapshot("apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: " + name
                        + ", namespace: " + namespace + ", creationTimestamp: '2026-01-01T00:00:0" + second
                        + "Z'}\nspec: {parentRefs: [{name: full, namespace: infra}, {name: roomy, namespace: infra}],"
                        + " hostnames: [" + name
                        + ".example.com], rules: [{backendRefs: [{name: s, port: 80}]}]}\n")
                .all(HttpRoute.class)
                .iterator()
                .next();
    }

    private static Snapshot snapshot(String yaml) {
        return Decoder.decode(List.of(Source.of("r.yaml", yaml))).snapshot();
    }
}
