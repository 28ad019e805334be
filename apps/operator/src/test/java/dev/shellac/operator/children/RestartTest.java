package dev.shellac.operator.children;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods are restarted when their template changes, and by nothing else. */
final class RestartTest {
    private static final String LISTENER = "{name: web, port: 80, protocol: HTTP}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{name: web, port: 8080, protocol: HTTP}",
                "{name: web, port: 80, protocol: HTTP}, {name: b, port: 81, protocol: HTTP}",
                "{name: web, port: 80, protocol: HTTP}, {name: b, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: c}]}}",
                "{name: web, port: 80, protocol: HTTP, hostname: a.example.com}",
                "{name: web, port: 80, protocol: UDP}",
            })
    void listenersRestartNothing(String listeners) {
        assertThat(template(listeners, "{}")).isEqualTo(template(LISTENER, "{}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{service: {type: ClusterIP, annotations: {a: b}}}",
                "{podDisruptionBudget: {minAvailable: 1}}",
                "{replicas: 3}",
                "{autoscaling: {maxReplicas: 3}}",
                "{trustedProxies: [10.0.0.0/8]}",
                "{mergeSlashes: false}",
                "{http2: false}",
                "{serviceMonitor: {}}",
                "{networkPolicy: {enabled: false}}",
            })
    void whatPodsAreNotMadeOfRestartsNothing(String spec) {
        assertThat(template(LISTENER, spec)).isEqualTo(template(LISTENER, "{}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{image: other}",
                "{varnishdExtraArgs: [-p, timeout_idle=9]}",
                "{storage: {size: 1Gi}}",
                "{logging: {mode: varnishncsa}}",
                "{resources: {limits: {memory: 1Gi}}}",
                "{proxyProtocol: true}",
                "{podLabels: {a: b}}",
                "{podAnnotations: {a: b}}",
                "{nodeSelector: {a: b}}",
                "{tolerations: [{key: a}]}",
                "{affinity: {podAntiAffinity: {}}}",
                "{priorityClassName: high}",
                "{extraEnv: [{name: A, value: b}]}",
                "{extraVolumes: [{name: a, emptyDir: {}}]}",
                "{extraVolumeMounts: [{name: a, mountPath: /a}]}",
                "{extraInitContainers: [{name: a, image: b}]}",
                "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
            })
    void whatPodsAreMadeOfRestartsThem(String spec) {
        assertThat(hash(template(LISTENER, spec))).isNotEqualTo(hash(template(LISTENER, "{}")));
    }

    @Test
    void theSeventeenthPortDoesToo() {
        String sixteen = ports(16);
        assertThat(template(sixteen, "{}")).isEqualTo(template(LISTENER, "{}"));
        assertThat(hash(template(ports(17), "{}"))).isNotEqualTo(hash(template(sixteen, "{}")));
    }

    private static String ports(int most) {
        return IntStream.rangeClosed(1, most)
                .mapToObj(port -> "{name: l" + port + ", port: " + port + ", protocol: HTTP}")
                .collect(Collectors.joining(", "));
    }

    private static String hash(PodTemplateSpec template) {
        return template.getMetadata().getAnnotations().getOrDefault(Labels.INFRA_HASH, "missing");
    }

    private static PodTemplateSpec template(String listeners, String spec) {
        Inputs inputs = Inputs.of(listeners, spec, Map.of());
        return inputs.children().stream()
                .filter(Deployment.class::isInstance)
                .map(Deployment.class::cast)
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate();
    }
}
