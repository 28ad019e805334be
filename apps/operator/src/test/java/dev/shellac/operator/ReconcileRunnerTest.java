package dev.shellac.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.watch.ServedKind;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.operator.controller.Arrivals;
import dev.shellac.operator.controller.GatewayConfigWriter;
import dev.shellac.operator.controller.GatewayController;
import dev.shellac.operator.controller.Inbox;
import dev.shellac.operator.controller.Ports;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.objects.KubernetesRenderer;
import dev.shellac.operator.pods.ChangePusher;
import dev.shellac.operator.pods.Obstacles;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.EventRecorder;
import dev.shellac.operator.write.GatewayClassFinalizer;
import dev.shellac.operator.write.LastUserVcls;
import dev.shellac.operator.write.NoKubeWriter;
import dev.shellac.operator.write.StatusUpdate;
import dev.shellac.operator.write.UserVcls;
import dev.shellac.operator.write.WorkQueue;
import dev.shellac.translate.Translator;
import dev.shellac.varnishconfig.changes.ChangeSet;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Reconciles in a world that fails now and then. */
final class ReconcileRunnerTest {
    private static final ReconcileRunner.Patience SHORT =
            new ReconcileRunner.Patience(Duration.ofMillis(1), Duration.ofMillis(4), 5);
    private static final String YAML = """
            {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: varnish}, spec: {controllerName: varnish-software.com/gateway}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: shop, uid: 5d8f}
            spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}]}
            """;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Inbox inbox = new Inbox();
    private final FakePorts ports = new FakePorts();
    private final List<String> around = new ArrayList<>();
    private final List<Runnable> meanwhile = new ArrayList<>();
    private final ReconcileRunner runner = new ReconcileRunner(
            new GatewayController(ports, new KubernetesRenderer(Stage.PLATFORM), Features.settings()),
            inbox,
            new OperatorMetrics(registry),
            SHORT);

    private void arrive() {
        inbox.defined(new Definitions(
                Map.of(GroupKind.GATEWAY, new ServedKind(GroupKind.GATEWAY, "v1", "gateways")),
                new TreeSet<>(Set.of("v1.7.0")),
                new TreeSet<>(Set.of("standard"))));
        Decoded decoded = Decoder.decode(List.of(Source.of("gateway.yaml", YAML)));
        decoded.objects().forEach(object -> inbox.there(object.resource()));
    }

    // Ends after a good turn, when nothing is to happen meanwhile.
    private boolean run() throws InterruptedException {
        runner.run(InstantSource.system(), new ReconcileRunner.Around() {
            @Override
            public void first(GatewayController controller) {
                around.add("first");
            }

            @Override
            public void each(GatewayController controller, Instant now) {
                around.add("each");
                if (meanwhile.isEmpty()) {
                    runner.stop();
                } else {
                    meanwhile.removeFirst().run();
                }
            }
        });
        return true;
    }

    @Test
    void whatArrivedInATurnThatFailsIsNotLost() throws Exception {
        arrive();
        ports.failures.addAll(List.of("defined", "translated", "apply", "children"));
        run();
        assertThat(ports.failures).isEmpty();
        assertThat(ports.done)
                .containsSubsequence(
                        "defined", "apply ConfigMap edge-vcl", "children of edge", "status of Gateway shop/edge");
        assertThat(around).containsExactly("first", "each");
        assertThat(registry.scrape())
                .contains(
                        "shellac_operator_turns_failed_total 3.0",
                        "shellac_operator_turn_seconds_count{outcome=\"failed\"} 3",
                        "shellac_operator_turn_seconds_count{outcome=\"good\"} 1");
    }

    @Test
    void theStatusIsSaidThoughEverythingElseWasDoneInTheTurnThatFailed() throws Exception {
        arrive();
        ports.failures.add("status");
        run();
        assertThat(ports.done).contains("status of Gateway shop/edge");
    }

    @Test
    void whatSomebodyTouchedIsPutRightThoughTheTurnFails() throws Exception {
        arrive();
        meanwhile.add(() -> {
            ports.done.clear();
            ports.version = Optional.of("7");
            ports.failures.add("translated");
            ports.written.forEach(inbox::drifted);
        });
        run();
        assertThat(ports.done).contains("apply ConfigMap edge-vcl");
        assertThat(around).containsExactly("first", "each", "first", "each");
    }

    @Test
    void whoFailsAgainAndAgainGivesUp() {
        arrive();
        ports.failures.addAll(List.of("children", "children", "children", "children", "children"));
        assertThatThrownBy(this::run).isInstanceOf(IllegalStateException.class).hasMessage("children fails");
        assertThat(registry.scrape()).contains("shellac_operator_turns_failed_total 5.0");
        assertThat(around).isEmpty();
    }

    /** One route that changes during each write must not keep everybody's certificates and ports from the pods. */
    @Test
    void childrenAreAppliedThoughConfigurationChangesDuringEachWrite() throws Exception {
        arrive();
        ports.holds = true;
        var controller = new GatewayController(ports, new KubernetesRenderer(Stage.PLATFORM), Features.settings());
        for (int n = 0; n < 6; n++) {
            change(n);
            inbox.pods(new PodRegistry.Key("shop", "edge"));
            controller.reconcile(inbox.take(Duration.ZERO), Instant.now());
            assertThat(ports.held)
                    .as("a write is in flight whenever a turn ends")
                    .isNotEmpty();
            List.copyOf(ports.held).forEach(ReconcileRunnerTest::end);
            ports.held.clear();
        }
        assertThat(ports.done).contains("children of edge");
    }

    /** A liveness probe restarts an operator that stands still, and not one with thousands of Gateways. */
    @Test
    void aTurnThatStandsStillIsKnownFromOneThatIsLong() throws Exception {
        Duration limit = Duration.ofSeconds(1);
        arrive();
        ports.stops.addAll(List.of("translated", "children"));
        Thread running = Thread.ofVirtual().start(() -> end(this::run));
        assertThat(ports.stopped.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        assertThat(runner.hasStoodStillFor(limit)).isFalse();
        Thread.sleep(limit.plusMillis(100));
        assertThat(runner.hasStoodStillFor(limit)).isTrue();
        ports.goOn.release();
        assertThat(ports.stopped.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        assertThat(runner.hasStoodStillFor(limit)).as("it came further").isFalse();
        ports.goOn.release();
        running.join();
        assertThat(runner.hasStoodStillFor(Duration.ZERO)).as("it ended").isFalse();
    }

    private void change(int version) {
        String route = """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: shop, generation: %1$d, resourceVersion: "%1$d"}
                spec:
                  parentRefs: [{name: edge}]
                  rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: a%1$d.example.com}}]}]
                """.formatted(version + 1);
        Decoder.decode(List.of(Source.of("r.yaml", route))).objects().forEach(found -> inbox.there(found.resource()));
    }

    private static void end(WorkQueue.Task write) {
        try {
            write.run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Does what it is asked and notes it, but for what fails: each word in its turn, once. */
    private static final class FakePorts extends NoKubeWriter
            implements Ports, ChangePusher, GatewayConfigWriter.Observer, Arrivals.Reader {
        private final List<String> failures = new ArrayList<>();
        private final List<String> done = new ArrayList<>();
        private final List<ObjectKey> written = new ArrayList<>();
        private final List<WorkQueue.Task> held = new ArrayList<>();
        private Optional<String> version = Optional.empty();
        private boolean holds;
        private final Set<String> stops = ConcurrentHashMap.newKeySet();
        private final Semaphore stopped = new Semaphore(0);
        private final Semaphore goOn = new Semaphore(0);

        private void act(String what, String words) {
            if (!failures.isEmpty() && failures.getFirst().equals(what)) {
                failures.removeFirst();
                throw new IllegalStateException(what + " fails");
            }
            if (stops.remove(what)) {
                stopped.release();
                goOn.acquireUninterruptibly();
            }
            done.add(words);
        }

        @Override
        public KubeWriter kube() {
            return this;
        }

        @Override
        public GatewayConfigWriter.Observer configuration() {
            return this;
        }

        @Override
        public ChangePusher pusher() {
            return this;
        }

        @Override
        public ChangeSet.Revision nextRevision() {
            return ChangeSet.Revision.NONE;
        }

        @Override
        public boolean push(PodRegistry.Key gateway, ChangeSet changeSet, Runnable lost) {
            return false;
        }

        @Override
        public void pushed(PodRegistry.Key gateway) {}

        @Override
        public void pushFailed(PodRegistry.Key gateway) {}

        @Override
        public void ended(PodRegistry.Key gateway) {}

        @Override
        public GatewayConfigWriter.Writer writer() {
            return (gateway, task) -> {
                if (holds) {
                    held.add(task);
                } else {
                    end(task);
                }
            };
        }

        @Override
        public Arrivals.Reader reader() {
            return this;
        }

        @Override
        public void read(Set<ResourceId> wanted) {}

        @Override
        public boolean isRead(ResourceId wanted) {
            return true;
        }

        @Override
        public Optional<HttpRoute> find(Name name, String uid) {
            return Optional.empty();
        }

        @Override
        public void gateways(Snapshot snapshot) {}

        @Override
        public UserVcls userVcls() {
            return new LastUserVcls(new LastUserVcls.Home(this, "default"));
        }

        @Override
        public PodRegistry.GatewayPods pods(PodRegistry.Key gateway) {
            return new PodRegistry.GatewayPods(List.of(), Map.of(), Set.of(), List.of());
        }

        @Override
        public Optional<String> version(ObjectKey object) {
            return version;
        }

        @Override
        public boolean isOwn(ObjectKey object, String uid) {
            return false;
        }

        @Override
        public void children(
                PodRegistry.Key gateway, String owner, List<HasMetadata> children, Set<ObjectKey> configuration) {
            act("children", "children of " + gateway.label());
        }

        @Override
        public void noChildren(PodRegistry.Key gateway, String owner) {
            act("noChildren", "no children of " + gateway.label());
        }

        @Override
        public Obstacles obstacles(PodRegistry.Key gateway) {
            return Obstacles.NONE;
        }

        @Override
        public void status(StatusUpdate update) {
            act("status", "status of " + update.object());
        }

        @Override
        public void classes(Map<String, GatewayClassFinalizer.Use> classes) {
            act("classes", "classes");
        }

        @Override
        public void defined(Definitions definitions) {
            act("defined", "defined");
        }

        @Override
        public void record(EventRecorder.Entry entry) {
            act("tell", entry.toString());
        }

        @Override
        public void translated(Duration took, Translator.Work work) {
            act("translated", "translated");
        }

        @Override
        public void propagated(Duration took) {
            act("propagated", "propagated");
        }

        @Override
        public void wrote(ObjectKey object) {
            written.add(object);
        }

        @Override
        public void failed(ObjectKey object, IOException why) {
            act("failed", "failed " + object);
        }

        @Override
        public Stored apply(HasMetadata wanted) {
            String name = wanted.getMetadata().getName();
            act("apply", "apply " + wanted.getKind() + " " + name);
            return new Stored("1", 1);
        }

        @Override
        public Stored replace(HasMetadata wanted) {
            return apply(wanted);
        }

        @Override
        public Optional<ObjectNode> read(String path) {
            return Optional.empty();
        }
    }
}
