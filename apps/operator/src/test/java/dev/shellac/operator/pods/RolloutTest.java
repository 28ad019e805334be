package dev.shellac.operator.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.gateway.Gateway;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods before a change stay ready until those after it are: what keeps these from it is named meanwhile. */
final class RolloutTest {
    private static final ConfigRevision LIVE = new ConfigRevision("r1", "v1", "");
    private static final String ROOT = "init container setup does not run: CreateContainerConfigError: container has"
            + " runAsNonRoot and image will run as root";
    private static final String NO_IMAGE = "container varnish-gateway does not run: ErrImagePull: not found";

    private final Generations generations = new Generations();
    private final Map<String, PodState> states = new HashMap<>();
    private final Set<String> silent = new HashSet<>();

    private static Gateway gateway() {
        return (Gateway) Decoder.decode(List.of(Source.of("g.yaml", """
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: Gateway
                        metadata: {name: g, namespace: ns, generation: 1}
                        spec: {gatewayClassName: c, listeners: [{name: web, port: 80, protocol: HTTP}]}
                        """)))
                .objects()
                .getFirst()
                .resource();
    }

    private static Pod ready(String name) {
        return new Pod(
                new Name("ns", name), name, "g", "rs", Optional.of("10.0.0.1"), true, false, "old:1", Optional.empty());
    }

    private static Pod stuck(String name, Optional<String> obstacle) {
        return new Pod(new Name("ns", name), name, "g", "rs", Optional.of("10.0.0.2"), false, false, "new:1", obstacle);
    }

    private void serves(String pod) {
        states.put(
                pod,
                new PodState(
                        "1",
                        "",
                        true,
                        LIVE,
                        Optional.of(""),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        Map.of(),
                        List.of()));
    }

    private DataPlane report(Pod... pods) {
        generations.wrote(LIVE, 1);
        return DataPlanes.of(
                new DataPlanes.View(
                        gateway(),
                        List.of(pods),
                        states,
                        silent,
                        List.of(),
                        Map.of(),
                        new CertificateVersions(),
                        Map.of(),
                        Obstacles.NONE,
                        Instant.EPOCH),
                generations);
    }

    @Test
    void aTakeOverThatIsStuckNamesWhatStopsTheNewPod() {
        silent.add("old");
        assertThat(report(ready("old"), stuck("new", Optional.of(ROOT))).pending())
                .hasValue("pod old does not answer the operator: pod new, " + ROOT);
    }

    @Test
    void anImageOfAnotherProductIsNamedThoughItsPodsAreReady() {
        silent.add("old");
        assertThat(report(ready("old")).pending())
                .hasValue(
                        "pod old does not answer the operator; its image is old:1, which must have Shellac's chaperone");
        silent.add("new");
        assertThat(report(ready("old"), stuck("new", Optional.empty())).pending())
                .hasValue("pod old does not answer the operator: pod new does not answer the operator; its image is"
                        + " new:1, which must have Shellac's chaperone");
    }

    @Test
    void aPodThatHasAnsweredBeforeIsNotSaidToHaveAnotherImage() {
        states.put(
                "old",
                new PodState(
                        "1",
                        "",
                        true,
                        new ConfigRevision("r0", "v0", ""),
                        Optional.of(""),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        Map.of(),
                        List.of()));
        silent.add("old");
        generations.wrote(new ConfigRevision("r0", "v0", ""), 0);
        assertThat(report(ready("old")).pending()).hasValue("pod old does not answer the operator");
    }

    @Test
    void aRolloutToABadImageIsNamedWhileThePodsBeforeItServe() {
        serves("old");
        DataPlane report = report(ready("old"), stuck("new", Optional.of(NO_IMAGE)));
        assertThat(report.pending()).isEmpty();
        assertThat(report.obstacle()).hasValue("pod new, " + NO_IMAGE);
        assertThat(report(ready("old"), stuck("new", Optional.empty())).obstacle())
                .as("one that only starts")
                .isEmpty();
        assertThat(report(ready("old")).obstacle()).isEmpty();
    }
}
