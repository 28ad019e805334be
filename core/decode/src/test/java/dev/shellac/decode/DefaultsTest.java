package dev.shellac.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.model.Secret;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.ListenerTls;
import dev.shellac.model.gateway.NamespacePolicy;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.model.route.ValueMatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is left out is what the API server would have filled in; what is written arrives. */
final class DefaultsTest {
    @Test
    void aListener() {
        Gateway gateway = Yaml.only(Gateway.class, Yaml.gateway("{name: web, port: 80, protocol: HTTP}"));
        var listener = gateway.listeners().getFirst();
        assertThat(listener.hostname()).isEqualTo(Hostname.ANY);
        assertThat(listener.allowedRoutes().namespaces()).isEqualTo(new NamespacePolicy.Same());
        assertThat(listener.allowedRoutes().kinds()).isEmpty();
        assertThat(gateway.allowedListeners()).isEqualTo(new NamespacePolicy.None());
    }

    @Test
    void anEmptyAllowedRoutesIsFilledToo() {
        Gateway gateway = Yaml.only(
                Gateway.class,
                Yaml.gateway("{name: web, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: HTTPRoute}]}}"));
        var allowed = gateway.listeners().getFirst().allowedRoutes();
        assertThat(allowed.namespaces()).isEqualTo(new NamespacePolicy.Same());
        assertThat(allowed.kinds()).containsExactly(GroupKind.HTTP_ROUTE);
    }

    @Test
    void aCertificateReference() {
        Gateway gateway = Yaml.only(
                Gateway.class,
                Yaml.gateway("{name: web, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}"));
        ListenerTls tls = gateway.listeners().getFirst().tls().orElseThrow();
        assertThat(tls.mode()).isEqualTo(ListenerTls.Mode.TERMINATE);
        assertThat(tls.certificates().getFirst().resolve("ns")).hasToString("Secret ns/cert");
    }

    @Test
    void aRouteWithoutRules() {
        HttpRoute route = Yaml.only(HttpRoute.class, Yaml.route("{parentRefs: [{name: gw}]}"));
        assertThat(route.parents().getFirst().resolve("ns")).hasToString("Gateway ns/gw");
        assertThat(route.rules()).containsExactly(emptyRule());
    }

    @Test
    void aRuleWithoutMatchesOrWithAnEmptyList() {
        assertThat(Yaml.only(HttpRoute.class, Yaml.route("{rules: [{}, {matches: []}, {matches: [{}]}]}"))
                        .rules())
                .containsExactly(emptyRule(), emptyRule(), emptyRule());
    }

    @Test
    void nullIsAsIfItWereNotThere() {
        assertThat(Yaml.only(HttpRoute.class, Yaml.route("{hostnames: null, rules: [{matches: null}]}"))
                        .rules())
                .containsExactly(emptyRule());
        assertThat(Yaml.only(HttpRoute.class, Yaml.route("\n  hostnames:\n  rules:"))
                        .rules())
                .containsExactly(emptyRule());
    }

    private static Rule emptyRule() {
        return new Rule(
                Optional.empty(),
                List.of(new Match(new PathMatch.Prefix("/"), List.of(), List.of(), Optional.empty())),
                List.of(),
                List.of(),
                Timeouts.NONE,
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void theWholeOfARule() {
        Rule rule = Yaml.only(HttpRoute.class, Yaml.route("""
                        {rules: [{name: r,
                          matches: [{path: {value: /a}, method: GET,
                            headers: [{name: H, value: v}], queryParams: [{name: q, value: '.*', type: RegularExpression}]}],
                          filters: [{type: RequestRedirect, requestRedirect: {}},
                            {type: CORS, cors: {allowOrigins: ['*']}}],
                          timeouts: {request: 1m, backendRequest: 500ms},
                          retry: {codes: [503]}}]}""".replace("\n", "")))
                .rules()
                .getFirst();
        assertThat(rule.name()).contains("r");
        assertThat(rule.matches())
                .containsExactly(new Match(
                        new PathMatch.Prefix("/a"),
                        List.of(new Match.HeaderMatch("H", new ValueMatch.Exact("v"))),
                        List.of(new Match.QueryMatch("q", new ValueMatch.Pattern(".*"))),
                        Optional.of("GET")));
        assertThat(rule.filters()).hasSize(2);
        assertThat(((Filter.Redirect) rule.filters().getFirst()).statusCode()).isEqualTo(302);
        assertThat(((Filter.Cors) rule.filters().getLast()).maxAgeSeconds()).isEqualTo(5);
        assertThat(rule.timeouts())
                .isEqualTo(new Timeouts(Optional.of(Duration.ofMinutes(1)), Optional.of(Duration.ofMillis(500))));
        assertThat(rule.retry().orElseThrow().attempts()).isEqualTo(1);
    }

    @Test
    void aBackendReference() {
        var backend = Yaml.only(HttpRoute.class, Yaml.route("{rules: [{backendRefs: [{name: s, port: 80}]}]}"))
                .rules()
                .getFirst()
                .backends()
                .getFirst();
        assertThat(backend.target().resolve("ns")).hasToString("Service ns/s");
        assertThat(backend.weight()).isEqualTo(1);
        assertThat(backend.port()).contains(new Port(80));
    }

    @Test
    void thePortsOfAService() {
        Service service = Yaml.only(
                Service.class,
                Yaml.object(
                        "v1",
                        "Service",
                        "{ports: [{port: 80}, {port: 81, targetPort: 8081}, {port: 82, targetPort: web}]}"));
        assertThat(service.serviceType()).isEqualTo(Service.Type.CLUSTER_IP);
        assertThat(service.ports())
                .extracting(Service.ServicePort::target)
                .containsExactly(
                        new TargetPort.Numbered(new Port(80)),
                        new TargetPort.Numbered(new Port(8081)),
                        new TargetPort.Named("web"));
    }

    @Test
    void metadata() {
        var meta = Yaml.only(Namespace.class, """
                apiVersion: v1
                kind: Namespace
                metadata:
                  name: shop
                  namespace: ignored
                  uid: u
                  generation: 3
                  creationTimestamp: "2026-01-31T12:00:00Z"
                  labels: {team: a}
                """).meta();
        assertThat(meta.name()).hasToString("shop");
        assertThat(meta.generation()).isEqualTo(3);
        assertThat(meta.created()).contains(Instant.parse("2026-01-31T12:00:00Z"));
        assertThat(meta.labels()).containsEntry("team", "a").containsEntry("kubernetes.io/metadata.name", "shop");
    }

    @Test
    void aNamespacedObjectWithoutNamespaceIsInTheDefaultOne() {
        assertThat(Yaml.only(Service.class, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n")
                        .id())
                .hasToString("Service default/s");
    }

    @Test
    void aSecretInBothWays() {
        SecretObject secret = Yaml.only(SecretObject.class, """
                apiVersion: v1
                kind: Secret
                metadata: {name: s}
                type: kubernetes.io/tls
                data: {tls.crt: aGk=, tls.key: aGk=}
                stringData: {tls.key: ho}
                """);
        assertThat(secret.values()).hasSize(2);
        var text = secret.values().get("tls.key");
        assertThat(text == null ? "" : text.<String>reveal(bytes -> new String(bytes, StandardCharsets.UTF_8)))
                .isEqualTo("ho");
        assertThat(secret.toString()).doesNotContain("ho,").contains("2 bytes");
    }

    /** Tenants may name Secrets of any kind and size: the operator keeps no more of them than a certificate may have. */
    @Test
    void ofASecretTheKeyPairAloneIsKeptAndOnlyTheLengthOfWhatIsTooLarge() {
        SecretObject secret = Yaml.only(SecretObject.class, """
                apiVersion: v1
                kind: Secret
                metadata: {name: s}
                type: kubernetes.io/tls
                stringData: {other: kept by nobody, tls.crt: %s, tls.key: %s}
                """.formatted(
                        "c".repeat(SecretObject.MOST_BYTES + 1), "k".repeat(SecretObject.MOST_BYTES)));
        assertThat(secret.values()).containsOnlyKeys("tls.crt", "tls.key");
        assertThat(secret.values().get("tls.crt")).isEqualTo(Secret.ofLength(SecretObject.MOST_BYTES + 1));
        assertThat(secret.values().get("tls.key")).isNotEqualTo(Secret.ofLength(SecretObject.MOST_BYTES));
    }

    @Test
    void anUnknownFieldOfAFileIsAnError() {
        Decoded decoded = Yaml.decode(Yaml.route("{hostname: [a.com], rules: [{match: []}]}"));
        assertThat(decoded.objects()).isEmpty();
        assertThat(decoded.errors())
                .extracting(Finding::toString)
                .containsExactly(
                        "test.yaml:4: HTTPRoute ns/x: spec.hostname: unknown field; do you mean hostnames?",
                        "test.yaml:4: HTTPRoute ns/x: spec.rules[0].match: unknown field");
    }

    /** Its definition may be newer than we are. */
    @Test
    void anUnknownFieldOfAStoredObjectIsNamedAndTheRestIsUsed() {
        Decoded decoded = Decoder.decodeStored(
                List.of(Source.of("test.yaml", Yaml.route("{hostname: [a.com], rules: [{match: []}]}"))));
        assertThat(decoded.objects()).hasSize(1);
        assertThat(decoded.findings())
                .extracting(Finding::toString)
                .containsExactly(
                        "test.yaml:4: HTTPRoute ns/x: spec.hostname: unknown field, it has no effect; do you mean"
                                + " hostnames?",
                        "test.yaml:4: HTTPRoute ns/x: spec.rules[0].match: unknown field, it has no effect");
        assertThat(decoded.errors()).isEmpty();
    }
}
