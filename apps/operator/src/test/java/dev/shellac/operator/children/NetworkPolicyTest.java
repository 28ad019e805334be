package dev.shellac.operator.children;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.operator.children.Reachability.Pod;
import dev.shellac.operator.children.Reachability.Source;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who reaches which port of which pod, computed, by our policies alone and together with others. */
final class NetworkPolicyTest {
    private static final KubernetesSerialization YAML = new KubernetesSerialization();
    private static final String LISTENERS = "{name: web, port: 80, protocol: HTTP},"
            + " {name: tls, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: c}]}}";
    /** Debugging, varnishd's command line, health and metrics; the first and last sockets of varnishd, HAProxy's first, and far ones. */
    private static final List<Integer> PORTS =
            List.of(22, 6060, 6082, 8080, 8081, 9999, 10_000, 10_015, 10_095, 10_100, 10_999, 11_000, 11_500, 65_535);

    private static final Map<String, Source> SOURCES = sources();
    private static final String DENY_ALL = policy("deny", "{}", "[]");
    private static final String EVERYTHING =
            "22 6060 6082 8080 8081 9999 10000 10015 10095 10100 10999 11000 11500 65535";
    private static final String TRAFFIC = "10000 10015 10095 10100 10999 11000 11500 65535";

    private static Map<String, Source> sources() {
        var sources = new LinkedHashMap<String, Source>();
        sources.put("its node", new Source.OwnNode());
        sources.put("operator", pod("shellac-system"));
        sources.put("monitoring", pod("monitoring"));
        sources.put("neighbour", pod("shop"));
        sources.put("tenant", pod("other"));
        sources.put("outside", new Source.Outside());
        return sources;
    }

    private static Source pod(String namespace) {
        return new Source.OfPod(new Pod(namespace, Map.of("app", "any")));
    }

    private static String policy(String name, String selector, String ingress) {
        return "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " + name
                + ", namespace: shop}\nspec: {podSelector: " + selector + ", policyTypes: [Ingress], ingress: "
                + ingress + "}\n";
    }

    private static String reached(String parameters, String... others) {
        Inputs inputs = Inputs.of(LISTENERS, parameters, Map.of());
        Deployment deployment = inputs.children().stream()
                .flatMap(NetworkPolicyTest::deployments)
                .findFirst()
                .orElseThrow();
        Stream<NetworkPolicy> own = inputs.children().stream()
                .filter(NetworkPolicy.class::isInstance)
                .map(NetworkPolicy.class::cast);
        Stream<NetworkPolicy> more = Arrays.stream(others).map(text -> YAML.unmarshal(text, NetworkPolicy.class));
        return new Reachability(
                        new Pod(
                                "shop",
                                deployment.getSpec().getTemplate().getMetadata().getLabels()),
                        Stream.concat(own, more).toList())
                .table(SOURCES, PORTS);
    }

    private static Stream<Deployment> deployments(Object object) {
        return object instanceof Deployment deployment ? Stream.of(deployment) : Stream.empty();
    }

    @Test
    void asItComes() {
        String expected = """
                its node: %1$s
                operator: 8081 %2$s
                monitoring: 8081 %2$s
                neighbour: 8081 %2$s
                tenant: 8081 %2$s
                outside: %2$s
                """.formatted(EVERYTHING, TRAFFIC);
        assertThat(reached("{}")).isEqualTo(expected);
        assertThat(reached("{}", DENY_ALL)).as("beside one that lets nobody in").isEqualTo(expected);
    }

    @Test
    void metricsForOneNamespace() {
        String spec = "{networkPolicy: {metricsNamespaces: [monitoring]}}";
        String expected = """
                its node: %1$s
                operator: 8081 %2$s
                monitoring: 8081 %2$s
                neighbour: %2$s
                tenant: %2$s
                outside: %2$s
                """.formatted(EVERYTHING, TRAFFIC);
        assertThat(reached(spec)).isEqualTo(expected);
        assertThat(reached(spec, DENY_ALL)).isEqualTo(expected);
    }

    @Test
    void aPolicyOfTheUserAddsToOurs() {
        String debugging = policy(
                "debug",
                "{}",
                "[{ports: [{protocol: TCP, port: 6060}], from: [{podSelector: {matchLabels: {app: any}}}]}]");
        assertThat(reached("{networkPolicy: {metricsNamespaces: [monitoring]}}", debugging))
                .isEqualTo("""
                its node: %1$s
                operator: 8081 %2$s
                monitoring: 8081 %2$s
                neighbour: 6060 %2$s
                tenant: %2$s
                outside: %2$s
                """.formatted(EVERYTHING, TRAFFIC));
    }

    @Test
    void switchedOff() {
        String off = "{networkPolicy: {enabled: false}}";
        assertThat(reached(off)).isEqualTo("""
                its node: %1$s
                operator: %1$s
                monitoring: %1$s
                neighbour: %1$s
                tenant: %1$s
                outside: %1$s
                """.formatted(EVERYTHING));
        assertThat(reached(off, DENY_ALL)).isEqualTo("""
                its node: %1$s
                operator: nothing
                monitoring: nothing
                neighbour: nothing
                tenant: nothing
                outside: nothing
                """.formatted(EVERYTHING));
    }

    @Test
    void aPolicyIsForThePodsOfItsGatewayAlone() {
        List<NetworkPolicy> ours = Inputs.of(LISTENERS, "{}", Map.of()).children().stream()
                .filter(NetworkPolicy.class::isInstance)
                .map(NetworkPolicy.class::cast)
                .toList();
        var labels = Map.of(
                Labels.MANAGED_BY, Labels.OPERATOR, Labels.GATEWAY_NAMESPACE, "shop", Labels.GATEWAY_NAME, "other");
        assertThat(new Reachability(new Pod("shop", labels), ours).lets(new Source.Outside(), 8081))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 17, 64})
    void everyPortThatTheServiceLeadsToIsOpenBeforeItIsThere(int ports) {
        String listeners = IntStream.rangeClosed(1, ports)
                .mapToObj(port -> "{name: l" + port + ", port: " + port + ", protocol: HTTP}")
                .collect(Collectors.joining(", "));
        NetworkPolicy before = Inputs.of(LISTENERS, "{}", Map.of()).children().stream()
                .filter(NetworkPolicy.class::isInstance)
                .map(NetworkPolicy.class::cast)
                .findFirst()
                .orElseThrow();
        var targets = new ArrayList<Integer>();
        Inputs.of(listeners, "{}", Map.of()).children().stream()
                .filter(Service.class::isInstance)
                .map(Service.class::cast)
                .flatMap(service -> service.getSpec().getPorts().stream())
                .forEach(port -> targets.add(port.getTargetPort().getIntVal()));
        var reachability = new Reachability(
                new Pod("shop", before.getSpec().getPodSelector().getMatchLabels()), List.of(before));
        assertThat(targets).hasSize(ports).allMatch(port -> reachability.lets(new Source.Outside(), port));
    }

    private static String operatorReached(String rendered) throws IOException {
        var policies = new ArrayList<NetworkPolicy>();
        var pods = new ArrayList<Pod>();
        for (String document : Files.readString(Path.of("../..", rendered)).split("\n---\n", -1)) {
            if (document.contains("kind: NetworkPolicy\n")) {
                policies.add(YAML.unmarshal(document, NetworkPolicy.class));
            } else if (document.contains("kind: Deployment\n")) {
                Deployment deployment = YAML.unmarshal(document, Deployment.class);
                pods.add(new Pod(
                        deployment.getMetadata().getNamespace(),
                        deployment.getSpec().getTemplate().getMetadata().getLabels()));
            }
        }
        return new Reachability(pods.getFirst(), policies).table(SOURCES, List.of(22, 8080, 8081));
    }

    @Test
    void theOperatorOfTheChart() throws Exception {
        String expected = """
                its node: 22 8080 8081
                operator: 8080
                monitoring: 8080
                neighbour: 8080
                tenant: 8080
                outside: nothing
                """;
        assertThat(operatorReached("charts/golden/as-it-comes/out.yaml")).isEqualTo(expected);
        assertThat(operatorReached("deploy/shellac.yaml")).isEqualTo(expected);
        assertThat(operatorReached("charts/golden/everything-on/out.yaml"))
                .as("metrics for one namespace")
                .isEqualTo("""
                        its node: 22 8080 8081
                        operator: nothing
                        monitoring: 8080
                        neighbour: nothing
                        tenant: nothing
                        outside: nothing
                        """);
        assertThat(operatorReached("charts/golden/accounts-and-rights-of-your-own/out.yaml"))
                .as("switched off")
                .contains("outside: 22 8080 8081");
    }
}
