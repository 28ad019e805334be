package dev.shellac.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.Translator.Work;
import dev.shellac.translate.plan.TableBudget;
import dev.shellac.translate.status.Statuses;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a translator remembers never shows in what it says, and saves the work that it should. */
final class IncrementalTest {
    // Fewer where the tests run again and again, as for mutants.
    private static final int SCRIPTS = Integer.getInteger("shellac.scripts", 60);
    private static final int EDITS = 30;

    @Test
    void incrementalIsAsFromScratch() {
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var cluster = new RandomCluster(seed);
            var incremental = new Translator(Settings.alone());
            Snapshot snapshot = cluster.start();
            for (int i = 0; i < EDITS; i++) {
                assertThat(incremental.translate(snapshot))
                        .as("seed %d, edit %d", seed, i)
                        .isEqualTo(new Translator(Settings.alone()).translate(snapshot));
                snapshot = cluster.edit(snapshot);
            }
        }
    }

    @Test
    void severalChangesAtOnceAndOldSnapshotsAreAsFromScratch() {
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var random = new Random(seed);
            var cluster = new RandomCluster(1000 + seed);
            var incremental = new Translator(Settings.among());
            var seen = new ArrayList<>(List.of(cluster.start()));
            for (int i = 0; i < EDITS; i++) {
                Snapshot snapshot = seen.get(random.nextInt(4) == 0 ? random.nextInt(seen.size()) : seen.size() - 1);
                Outcome outcome = incremental.translate(snapshot);
                assertThat(outcome)
                        .as("seed %d, edit %d", seed, i)
                        .isEqualTo(new Translator(Settings.among()).translate(snapshot));
                if (random.nextInt(3) == 0) {
                    snapshot = WrittenBack.to(snapshot, outcome.statuses());
                }
                for (int more = random.nextInt(4); more >= 0; more--) {
                    snapshot = cluster.edit(snapshot);
                }
                seen.add(snapshot);
            }
        }
    }

    /** Tables of a few routes, which grow and shrink with their Gateways: routes lose their room to others and get it again. */
    @Test
    void fullTablesAreAsFromScratch() {
        int refused = 0;
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var random = new Random(seed);
            var cluster = new RandomCluster(2000 + seed);
            var incremental = new Translator(Settings.alone(), IncrementalTest::smallTable);
            Snapshot snapshot = cluster.start();
            for (int i = 0; i < EDITS; i++) {
                Outcome outcome = incremental.translate(snapshot);
                assertThat(outcome)
                        .as("seed %d, edit %d", seed, i)
                        .isEqualTo(new Translator(Settings.alone(), IncrementalTest::smallTable).translate(snapshot));
                refused += withoutRoom(outcome) ? 1 : 0;
                for (int more = random.nextInt(3); more >= 0; more--) {
                    snapshot = cluster.edit(snapshot);
                }
            }
        }
        assertThat(refused).as("some tables were full, others were not").isBetween(SCRIPTS, SCRIPTS * EDITS - SCRIPTS);
    }

    private static TableBudget smallTable(Snapshot snapshot, Gateway gateway) {
        return new TableBudget(
                gateway.meta().name().namespace(), 4_000 * (1 + gateway.meta().generation()));
    }

    private static boolean withoutRoom(Outcome outcome) {
        return outcome.statuses().httpRoutes().values().stream()
                .flatMap(status -> status.parents().stream())
                .flatMap(parent -> parent.conditions().conditions().stream())
                .anyMatch(condition -> condition.message().contains("have no room for this route"));
    }

    @Test
    void theOrderInWhichObjectsArriveSaysNothing() {
        var random = new Random(3);
        for (long seed = 0; seed < 20; seed++) {
            Snapshot snapshot = new RandomCluster(seed).start();
            var routes = new ArrayList<>(snapshot.all(HttpRoute.class));
            Collections.shuffle(routes, random);
            Snapshot rebuilt = snapshot;
            for (HttpRoute route : routes) {
                rebuilt = rebuilt.without(HttpRoute.class, route.meta().name());
            }
            for (HttpRoute route : routes) {
                rebuilt = rebuilt.with(route);
            }
            assertThat(new Translator(Settings.alone()).translate(rebuilt))
                    .isEqualTo(new Translator(Settings.alone()).translate(snapshot));
        }
    }

    @Test
    void oneChangedRouteIsOneCompiledRouteAndOneSortedHost() {
        Snapshot snapshot = hundredRoutes();
        var translator = new Translator(Settings.alone());
        translator.translate(snapshot);
        assertThat(translator.lastWork()).isEqualTo(new Work(100, 100, 100));
        translator.translate(snapshot);
        assertThat(translator.lastWork()).isEqualTo(new Work(0, 0, 0));
        HttpRoute route = snapshot.find(HttpRoute.class, new Name("ns", "r7")).orElseThrow();
        HttpRoute changed = new HttpRoute(
                route.meta(), route.parents(), route.hostnames(), List.of(), route.defaultGateways(), route.status());
        translator.translate(snapshot.with(changed));
        assertThat(translator.lastWork()).isEqualTo(new Work(1, 1, 1));
        translator.translate(snapshot);
        assertThat(translator.lastWork()).isEqualTo(new Work(1, 1, 1));
    }

    @Test
    void aStatusWrittenBackCompilesNothing() {
        Snapshot snapshot = hundredRoutes();
        var translator = new Translator(Settings.alone());
        Outcome outcome = translator.translate(snapshot);
        HttpRoute route = snapshot.find(HttpRoute.class, new Name("ns", "r7")).orElseThrow();
        var meta = new Metadata(
                route.meta().name(),
                "uid",
                4,
                Optional.empty(),
                Optional.empty(),
                route.meta().labels(),
                route.meta().annotations());
        translator.translate(snapshot.with(new HttpRoute(
                meta,
                route.parents(),
                route.hostnames(),
                route.rules(),
                route.defaultGateways(),
                Optional.ofNullable(
                                outcome.statuses().httpRoutes().get(route.meta().name()))
                        .orElseThrow())));
        assertThat(translator.lastWork()).isEqualTo(new Work(1, 0, 0));
    }

    @Test
    void aTargetThatComesAndGoesChangesItsPolicy() {
        Snapshot hundred = hundredRoutes();
        Name gateway = new Name("ns", "gw");
        Snapshot without = hundred.without(Gateway.class, gateway);
        for (String target : List.of("Gateway, name: gw", "HTTPRoute, name: r7")) {
            Resource policy = Decoder.decode(List.of(Source.of("p.yaml", """
                            apiVersion: gateway.varnish-software.com/v1alpha1
                            kind: VarnishCachePolicy
                            metadata: {name: p, namespace: ns}
                            spec: {targetRef: {group: gateway.networking.k8s.io, kind: %s}, defaultTTL: 1m}
                            """.formatted(target))))
                    .objects()
                    .getFirst()
                    .resource();
            var translator = new Translator(Settings.alone());
            for (Snapshot snapshot : List.of(
                    without.with(policy),
                    hundred.with(policy),
                    hundred.with(policy).without(HttpRoute.class, new Name("ns", "r7")),
                    hundred.with(policy),
                    hundred.with(policy).with(orphan(hundred, "r7")),
                    hundred.with(policy),
                    without.with(policy),
                    without,
                    hundred.with(policy))) {
                assertThat(translator.translate(snapshot))
                        .as(target)
                        .isEqualTo(new Translator(Settings.alone()).translate(snapshot));
            }
        }
    }

    @Test
    void aServiceConcernsTheRoutesThatNameIt() {
        Snapshot snapshot = hundredRoutes();
        var translator = new Translator(Settings.alone());
        translator.translate(snapshot);
        translator.translate(snapshot.with(service("ns", "s7")));
        assertThat(translator.lastWork()).isEqualTo(new Work(1, 1, 1));
        translator.translate(snapshot.with(service("ns", "s7")).with(service("ns", "nobody")));
        assertThat(translator.lastWork()).isEqualTo(new Work(0, 0, 0));
    }

    @Test
    void endpointsConcernNoRoute() {
        Snapshot snapshot = hundredRoutes();
        var translator = new Translator(Settings.alone());
        Outcome before = translator.translate(snapshot);
        Outcome after = translator.translate(snapshot.with(
                new EndpointSlice(Metadata.named("ns", "s7-1"), Optional.of("s7"), "IPv4", List.of(), List.of())));
        assertThat(translator.lastWork()).isEqualTo(new Work(0, 0, 0));
        assertThat(after).isEqualTo(before);
    }

    @Test
    void theStatusOfAGatewayWrittenBackConcernsNoRoute() {
        Snapshot snapshot = hundredRoutes();
        var translator = new Translator(Settings.alone());
        Outcome outcome = translator.translate(snapshot);
        Statuses gateways =
                new Statuses(Map.of(), outcome.statuses().gateways(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of());
        Snapshot written = WrittenBack.to(snapshot, gateways);
        assertThat(written).isNotEqualTo(snapshot);
        translator.translate(written);
        assertThat(translator.lastWork()).isEqualTo(new Work(0, 0, 0));
    }

    // It belongs to no Gateway any more, so neither does its policy.
    private static HttpRoute orphan(Snapshot snapshot, String name) {
        HttpRoute route = snapshot.find(HttpRoute.class, new Name("ns", name)).orElseThrow();
        return new HttpRoute(
                route.meta(), List.of(), route.hostnames(), route.rules(), route.defaultGateways(), route.status());
    }

    private static Service service(String namespace, String name) {
        return new Service(
                Metadata.named(namespace, name),
                Service.Type.CLUSTER_IP,
                List.of(new Service.ServicePort(
                        Optional.empty(),
                        new Port(80),
                        new TargetPort.Numbered(new Port(8080)),
                        "TCP",
                        Optional.empty())));
    }

    private static Snapshot hundredRoutes() {
        var yaml = new StringBuilder("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: varnish}
                spec: {controllerName: varnish-software.com/gateway}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: ns}
                spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}]}
                """);
        for (int i = 0; i < 100; i++) {
            yaml.append("---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r")
                    .append(i)
                    .append(", namespace: ns}\nspec: {parentRefs: [{name: gw}], hostnames: [h")
                    .append(i)
                    .append(".example.com], rules: [{backendRefs: [{name: s")
                    .append(i)
                    .append(", port: 80}]}]}\n");
        }
        return Decoder.decode(List.of(Source.of("r.yaml", yaml.toString()))).snapshot();
    }
}
