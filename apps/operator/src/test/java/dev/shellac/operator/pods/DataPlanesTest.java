package dev.shellac.operator.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.LateCertificates;
import dev.shellac.model.Name;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.status.Address;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class DataPlanesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");
    private static final ConfigRevision FIRST = new ConfigRevision("r1", "v1", "");
    private static final ConfigRevision SECOND = new ConfigRevision("r2", "v1", "");
    private static final Address ADDRESS = new Address("IPAddress", "192.0.2.1");

    private final Generations generations = new Generations();
    private final Set<String> silent = new HashSet<>();

    private static Gateway gateway(long generation, String addresses) {
        String yaml =
                "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: ns, generation: "
                        + generation
                        + "}\nspec: {gatewayClassName: c, listeners: [{name: web, port: 80, protocol: HTTP}]"
                        + addresses + "}\n";
        return (Gateway) Decoder.decode(List.of(Source.of("g.yaml", yaml)))
                .objects()
                .getFirst()
                .resource();
    }

    private static Gateway programmed(long generation, long observed) {
        String yaml =
                "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: ns, generation: "
                        + generation
                        + "}\nspec: {gatewayClassName: c, listeners: [{name: web, port: 80, protocol: HTTP}]}\n"
                        + "status: {conditions: [{type: Programmed, status: 'True', reason: Programmed, message: m, observedGeneration: "
                        + observed + ", lastTransitionTime: '2026-01-01T00:00:00Z'}]}\n";
        return (Gateway) Decoder.decodeStored(List.of(Source.of("g.yaml", yaml)))
                .objects()
                .getFirst()
                .resource();
    }

    private static Pod pod(String name, boolean ready, boolean ending) {
        return new Pod(
                new Name("ns", name),
                name,
                "g",
                "rs",
                Optional.of("10.0.0.1"),
                ready,
                ending,
                "old:1",
                Optional.empty());
    }

    private Obstacles obstacles = Obstacles.NONE;
    private final CertificateVersions versions = new CertificateVersions();
    private Optional<String> certificates = Optional.of("");
    private Instant now = NOW;

    private PodState state(ConfigRevision live) {
        return new PodState(
                "1", "", true, live, certificates, List.of(), Optional.empty(), List.of(), Map.of(), List.of());
    }

    private DataPlane of(Gateway gateway, List<Pod> pods, Map<String, PodState> states) {
        return of(
                gateway,
                pods,
                states,
                List.of(new GatewayService(new Name("ns", "g"), "g", "uid", Optional.empty(), List.of(ADDRESS))));
    }

    private DataPlane of(Gateway gateway, List<Pod> pods, Map<String, PodState> states, List<GatewayService> services) {
        return DataPlanes.of(
                new DataPlanes.View(
                        gateway,
                        pods,
                        states,
                        silent,
                        services,
                        Map.of("ns.one.pem", new Name("ns", "one"), "ns.two.pem", new Name("ns", "two")),
                        versions,
                        Map.of("192.0.2.7", NOW.minus(Duration.ofSeconds(5))),
                        obstacles,
                        now),
                generations);
    }

    @Test
    void whatStandsInItsWayIsNamed() {
        generations.wrote(FIRST, 1);
        obstacles = new Obstacles(List.of("Service g is not its own"), List.of("Deployment g is being deleted"));
        DataPlane report = of(gateway(1, ""), List.of(pod("a", true, false)), Map.of("a", state(FIRST)));
        assertThat(report.conflicts()).containsExactly("Service g is not its own");
        assertThat(report.pending()).hasValue("Deployment g is being deleted");
    }

    @Test
    void aPodThatServesThisGenerationIsEnough() {
        generations.wrote(FIRST, 1);
        DataPlane report = of(gateway(1, ""), List.of(pod("a", true, false)), Map.of("a", state(FIRST)));
        assertThat(report.pending()).isEmpty();
        assertThat(report.addresses()).containsExactly(ADDRESS);
    }

    @Test
    void nothingIsServedBeforeAPodIsReady() {
        assertThat(of(gateway(1, ""), List.of(), Map.of()).pending()).hasValue("its configuration is not written yet");
        generations.wrote(FIRST, 1);
        assertThat(of(gateway(1, ""), List.of(), Map.of()).pending()).hasValue("it has no pod yet");
        assertThat(of(gateway(1, ""), List.of(pod("a", false, false)), Map.of()).pending())
                .hasValue("none of its 1 pods is ready yet");
        assertThat(of(gateway(1, ""), List.of(pod("a", true, true)), Map.of("a", state(FIRST)))
                        .pending())
                .as("one that ends does not count")
                .hasValue("it has no pod yet");
    }

    @Test
    void whyAContainerDoesNotRunIsSaidInTheWordsOfItsNode() throws Exception {
        generations.wrote(FIRST, 1);
        var json = new JsonMapper().readTree("""
                        {"metadata": {"uid": "a", "labels": {"gateway.networking.k8s.io/gateway-name": "g"}},
                         "spec": {"containers": [{"image": "old:1"}]},
                         "status": {"initContainerStatuses": [{"name": "setup", "state": {"waiting": {
                           "reason": "CreateContainerConfigError",
                           "message": "container has runAsNonRoot and image will run as root"}}}],
                          "containerStatuses": [{"name": "varnish-gateway", "state": {"waiting": {"reason": "PodInitializing"}}}]}}
                        """);
        assertThat(of(gateway(1, ""), List.of(Pod.of(new Name("ns", "a"), json)), Map.of())
                        .pending())
                .hasValue("none of its 1 pods is ready yet: pod a, init container setup does not run:"
                        + " CreateContainerConfigError: container has runAsNonRoot and image will run as root");
    }

    @Test
    void anImageWithoutOurChaperoneIsNamed() {
        generations.wrote(FIRST, 1);
        silent.add("a");
        assertThat(of(gateway(1, ""), List.of(pod("a", false, false)), Map.of()).pending())
                .hasValue("none of its 1 pods is ready yet: pod a does not answer the operator; its image is old:1,"
                        + " which must have Shellac's chaperone");
    }

    @Test
    void aRefusalOfAnotherVclIsOverWhereThePodHasTheNewest() {
        generations.wrote(FIRST, 1);
        var refusing = new PodState(
                "1", "", true, FIRST, Optional.of(""), List.of(), Optional.of("no"), List.of(), Map.of(), List.of());
        var pods = List.of(pod("a", true, false));
        assertThat(of(gateway(1, ""), pods, Map.of("a", refusing)).vclFault()).isEmpty();
        generations.wrote(new ConfigRevision("r1", "v2", ""), 1);
        assertThat(of(gateway(1, ""), pods, Map.of("a", refusing)).vclFault()).hasValue("no");
    }

    @Test
    void aRouteOnItsWayDoesNotMakeTheGatewayUnprogrammed() {
        generations.wrote(FIRST, 1);
        generations.wrote(SECOND, 1);
        assertThat(of(gateway(1, ""), List.of(pod("a", true, false)), Map.of("a", state(FIRST)))
                        .pending())
                .isEmpty();
    }

    @Test
    void anOlderGenerationDoes() {
        generations.wrote(FIRST, 1);
        generations.wrote(SECOND, 2);
        Gateway gateway = gateway(2, "");
        assertThat(of(gateway, List.of(pod("a", true, false)), Map.of("a", state(FIRST)))
                        .pending())
                .hasValue("pod a does not serve generation 2 yet");
        assertThat(of(
                                gateway,
                                List.of(pod("a", true, false), pod("b", true, false)),
                                Map.of("a", state(SECOND), "b", state(FIRST)))
                        .pending())
                .hasValue("pod b does not serve generation 2 yet");
        assertThat(of(
                                gateway,
                                List.of(pod("a", true, false), pod("b", true, false)),
                                Map.of("a", state(SECOND), "b", state(SECOND)))
                        .pending())
                .isEmpty();
        assertThat(of(gateway, List.of(pod("a", true, false)), Map.of("a", state(SECOND)))
                        .pending())
                .isEmpty();
    }

    @Test
    void aGenerationThatChangesNothingIsServedAtOnce() {
        generations.wrote(FIRST, 1);
        generations.wrote(FIRST, 2);
        assertThat(of(gateway(2, ""), List.of(pod("a", true, false)), Map.of("a", state(FIRST)))
                        .pending())
                .isEmpty();
    }

    @Test
    void threeHundredPodsDoNotForgetEachOther() {
        generations.wrote(FIRST, 1);
        var pods = new ArrayList<Pod>();
        var states = new HashMap<String, PodState>();
        for (int i = 0; i < 300; i++) {
            pods.add(pod("p" + i, true, false));
            states.put("p" + i, state(FIRST));
        }
        Gateway gateway = gateway(1, "");
        assertThat(of(gateway, pods, states).pending()).isEmpty();
        states.replaceAll((uid, state) -> state(new ConfigRevision("from before", "v1", "")));
        generations.wrote(SECOND, 1);
        assertThat(of(gateway, pods, states).pending())
                .as("each has served this generation")
                .isEmpty();
    }

    @Test
    void aPodThatNobodyHasHeardYetDoesNotMakeAProgrammedGatewayPending() {
        generations.wrote(FIRST, 2);
        List<Pod> pods = List.of(pod("old", true, false), pod("new", true, false));
        Map<String, PodState> states = Map.of("old", state(FIRST));
        assertThat(of(programmed(2, 2), pods, states).pending()).isEmpty();
        assertThat(of(programmed(2, 1), pods, states).pending())
                .as("it was another generation that was programmed")
                .hasValue("pod new does not serve generation 2 yet");
        silent.add("new");
        assertThat(of(programmed(2, 2), pods, states).pending())
                .hasValue(
                        "pod new does not answer the operator; its image is old:1, which must have Shellac's chaperone");
    }

    @Test
    void aNewOperatorDoesNotMakeAProgrammedGatewayPending() {
        generations.wrote(SECOND, 1);
        List<Pod> pods = List.of(pod("a", true, false));
        assertThat(of(programmed(1, 1), pods, Map.of("a", state(FIRST))).pending())
                .as("what the operator before wrote")
                .isEmpty();
        generations.wrote(new ConfigRevision("r3", "v1", ""), 1);
        assertThat(of(programmed(1, 1), pods, Map.of("a", state(FIRST))).pending())
                .hasValue("pod a does not serve generation 1 yet");
    }

    @Test
    void onlyAddressesThatWereAskedForAndGrantedAreListed() {
        generations.wrote(FIRST, 1);
        Gateway gateway = gateway(1, ", addresses: [{value: 192.0.2.1}, {value: 192.0.2.7}]");
        DataPlane report = of(gateway, List.of(), Map.of());
        assertThat(report.addresses()).containsExactly(ADDRESS);
        assertThat(report.unusableAddresses()).containsOnlyKeys("192.0.2.7");
        DataPlane granted = of(
                gateway,
                List.of(),
                Map.of(),
                List.of(new GatewayService(
                        new Name("ns", "g"),
                        "g",
                        "uid",
                        Optional.empty(),
                        List.of(
                                ADDRESS,
                                new Address("IPAddress", "192.0.2.7"),
                                new Address("IPAddress", "192.0.2.9")))));
        assertThat(granted.unusableAddresses()).isEmpty();
        assertThat(granted.addresses()).extracting(Address::value).containsExactly("192.0.2.1", "192.0.2.7");
    }

    @Test
    void anAddressHasFiveSeconds() {
        Gateway gateway = gateway(1, ", addresses: [{value: 192.0.2.8}]");
        assertThat(of(gateway, List.of(), Map.of(), List.of()).unusableAddresses())
                .as("asked for just now")
                .isEmpty();
    }

    @Test
    void aCertificateThatAPodLeftOutIsTheSecretsThatItsFileWasMadeFrom() throws Exception {
        generations.wrote(FIRST, 1);
        PodState state = PodState.of(new JsonMapper()
                .readTree("{\"edge\":{\"leftOut\":{\"ns.one.pem\":\"too weak\",\"ns.gone.pem\":\"bad\"}}}"));
        DataPlane report = of(gateway(1, ""), List.of(pod("a", true, false)), Map.of("a", state));
        assertThat(report.refusedCertificates()).isEqualTo(Map.of(new Name("ns", "one"), "too weak"));
    }

    private static CertificateSet set(String hash, String... files) {
        var all = new TreeMap<String, String>();
        for (String file : files) {
            all.put(file.substring(0, file.indexOf('=')), file.substring(file.indexOf('=') + 1));
        }
        return new CertificateSet(hash, all);
    }

    private LateCertificates late(String shown) {
        certificates = Optional.of(shown);
        return of(gateway(1, ""), List.of(pod("a", true, false)), Map.of("a", state(FIRST)))
                .late();
    }

    @Test
    void aNewCertificateIsWaitedForAndOneThatReplacesAnotherHasAMinute() {
        generations.wrote(FIRST, 1);
        versions.want(set("none"), now);
        versions.want(set("1", "ns.one.pem=x"), now);
        assertThat(late("").secrets()).isEqualTo(Map.of(new Name("ns", "one"), "pod a does not serve with it yet"));
        assertThat(late("").overdue()).isEmpty();
        assertThat(late("1")).isEqualTo(LateCertificates.NONE);

        versions.want(set("2", "ns.one.pem=x", "ns.two.pem=y"), now);
        assertThat(late("1").secrets()).as("a neighbour's is not late").containsOnlyKeys(new Name("ns", "two"));
        versions.want(set("3", "ns.one.pem=z", "ns.two.pem=y"), now);
        assertThat(late("2")).as("the one before is served").isEqualTo(LateCertificates.NONE);
        now = now.plusSeconds(59);
        assertThat(late("2")).isEqualTo(LateCertificates.NONE);
        assertThat(versions.hasExpired(now)).isFalse();
        assertThat(versions.due(now)).hasValue(NOW.plusSeconds(60));
        now = now.plusSeconds(1);
        assertThat(versions.hasExpired(now)).isTrue();
        assertThat(versions.hasExpired(now)).as("said once").isFalse();
        assertThat(late("2").secrets())
                .isEqualTo(Map.of(new Name("ns", "one"), "pod a has served with an older one for more than 60 s"));
        assertThat(late("2").overdue()).hasValue("pod a has not taken certificates for more than 60 s");
        assertThat(late("3")).isEqualTo(LateCertificates.NONE);
    }

    /** One that rotates every ten seconds is behind at any time, and never for long. */
    @Test
    void whoIsAlwaysSomewhatBehindIsNotLate() {
        generations.wrote(FIRST, 1);
        for (int i = 0; i < 100; i++) {
            versions.want(set("set " + i, "ns.one.pem=" + (i % 2), "ns.two.pem=" + i / 2), now);
            assertThat(late("set " + Math.max(0, i - 3))).isEqualTo(LateCertificates.NONE);
            now = now.plusSeconds(10);
        }
    }

    @Test
    void aNewOperatorLeavesPodsAMinuteAndAnEarlierReleaseIsNotAsked() {
        generations.wrote(FIRST, 1);
        versions.want(set("5", "ns.one.pem=x"), now);
        assertThat(late("of before")).isEqualTo(LateCertificates.NONE);
        certificates = Optional.empty();
        now = now.plusSeconds(100);
        assertThat(of(gateway(1, ""), List.of(pod("a", true, false)), Map.of("a", state(FIRST)))
                        .late())
                .isEqualTo(LateCertificates.NONE);
        assertThat(late("of before").secrets()).isNotEmpty();
    }
}
