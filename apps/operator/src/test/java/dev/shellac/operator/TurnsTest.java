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
import dev.shellac.operator.fleet.Courier;
import dev.shellac.operator.fleet.Fleet;
import dev.shellac.operator.fleet.Obstacles;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.loop.Arrivals;
import dev.shellac.operator.loop.Desk;
import dev.shellac.operator.loop.Inbox;
import dev.shellac.operator.loop.Loop;
import dev.shellac.operator.loop.Ports;
import dev.shellac.operator.objects.ClusterObjects;
import dev.shellac.operator.write.ClassGuard;
import dev.shellac.operator.write.EventDesk;
import dev.shellac.operator.write.LastUserVcls;
import dev.shellac.operator.write.NoCluster;
import dev.shellac.operator.write.UserVcls;
import dev.shellac.operator.write.Wish;
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

/** Turns in a world that fails now and then. */
final class TurnsTest {
    private static final Turns.Patience SHORT = new Turns.Patience(Duration.ofMillis(1), Duration.ofMillis(4), 5);
    private static final String YAML = """
            {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: varnish},
             spec: {controllerName: varnish-software.com/gateway}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: shop, uid: 5d8f}
            spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}]}
            """;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Inbox inbox = new Inbox();
    private final World world = new World();
    private final List<String> around = new ArrayList<>();
    private final List<Runnable> meanwhile = new ArrayList<>();
    private final Turns turns = new Turns(
            new Loop(world, new ClusterObjects(Stage.PLATFORM), Features.settings()),
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
        turns.run(InstantSource.system(), new Turns.Around() {
            @Override
            public void first(Loop loop) {
                around.add("first");
            }

            @Override
            public void each(Loop loop, Instant now) {
                around.add("each");
                if (meanwhile.isEmpty()) {
                    turns.stop();
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
        world.failures.addAll(List.of("defined", "translated", "apply", "children"));
        run();
        assertThat(world.failures).isEmpty();
        assertThat(world.done)
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
        world.failures.add("status");
        run();
        assertThat(world.done).contains("status of Gateway shop/edge");
    }

    @Test
    void whatSomebodyTouchedIsPutRightThoughTheTurnFails() throws Exception {
        arrive();
        meanwhile.add(() -> {
            world.done.clear();
            world.version = Optional.of("7");
            world.failures.add("translated");
            world.written.forEach(inbox::drifted);
        });
        run();
        assertThat(world.done).contains("apply ConfigMap edge-vcl");
        assertThat(around).containsExactly("first", "each", "first", "each");
    }

    @Test
    void whoFailsAgainAndAgainGivesUp() {
        arrive();
        world.failures.addAll(List.of("children", "children", "children", "children", "children"));
        assertThatThrownBy(this::run).isInstanceOf(IllegalStateException.class).hasMessage("children fails");
        assertThat(registry.scrape()).contains("shellac_operator_turns_failed_total 5.0");
        assertThat(around).isEmpty();
    }

    /** One route that changes during each write must not keep everybody's certificates and ports from the pods. */
    @Test
    void childrenAreAppliedThoughConfigurationChangesDuringEachWrite() throws Exception {
        arrive();
        world.holds = true;
        var loop = new Loop(world, new ClusterObjects(Stage.PLATFORM), Features.settings());
        for (int n = 0; n < 6; n++) {
            change(n);
            inbox.fleet(new Fleet.Key("shop", "edge"));
            loop.turn(inbox.take(Duration.ZERO), Instant.now());
            assertThat(world.held)
                    .as("a write is in flight whenever a turn ends")
                    .isNotEmpty();
            List.copyOf(world.held).forEach(TurnsTest::end);
            world.held.clear();
        }
        assertThat(world.done).contains("children of edge");
    }

    /** A liveness probe restarts an operator that stands still, and not one with thousands of Gateways. */
    @Test
    void aTurnThatStandsStillIsKnownFromOneThatIsLong() throws Exception {
        Duration limit = Duration.ofSeconds(1);
        arrive();
        world.stops.addAll(List.of("translated", "children"));
        Thread running = Thread.ofVirtual().start(() -> end(this::run));
        assertThat(world.stopped.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        assertThat(turns.hasStoodStillFor(limit)).isFalse();
        Thread.sleep(limit.plusMillis(100));
        assertThat(turns.hasStoodStillFor(limit)).isTrue();
        world.goOn.release();
        assertThat(world.stopped.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        assertThat(turns.hasStoodStillFor(limit)).as("it came further").isFalse();
        world.goOn.release();
        running.join();
        assertThat(turns.hasStoodStillFor(Duration.ZERO)).as("it ended").isFalse();
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
    private static final class World extends NoCluster implements Ports, Courier, Desk.Listener, Arrivals.Reader {
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
        public Desk.Listener configuration() {
            return this;
        }

        @Override
        public Courier courier() {
            return this;
        }

        @Override
        public ChangeSet.Revision stamp() {
            return ChangeSet.Revision.NONE;
        }

        @Override
        public boolean bring(Fleet.Key gateway, ChangeSet changeSet, Runnable lost) {
            return false;
        }

        @Override
        public void told(Fleet.Key gateway) {}

        @Override
        public void lost(Fleet.Key gateway) {}

        @Override
        public void ended(Fleet.Key gateway) {}

        @Override
        public Desk.Writer writer() {
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
        public Fleet.Parts fleet(Fleet.Key gateway) {
            return new Fleet.Parts(List.of(), Map.of(), Set.of(), List.of());
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
                Fleet.Key gateway, String owner, List<HasMetadata> children, Set<ObjectKey> configuration) {
            act("children", "children of " + gateway.label());
        }

        @Override
        public void noChildren(Fleet.Key gateway, String owner) {
            act("noChildren", "no children of " + gateway.label());
        }

        @Override
        public Obstacles obstacles(Fleet.Key gateway) {
            return Obstacles.NONE;
        }

        @Override
        public void status(Wish wish) {
            act("status", "status of " + wish.object());
        }

        @Override
        public void classes(Map<String, ClassGuard.Use> classes) {
            act("classes", "classes");
        }

        @Override
        public void defined(Definitions definitions) {
            act("defined", "defined");
        }

        @Override
        public void tell(EventDesk.Note note) {
            act("tell", note.toString());
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
            act(
                    "apply",
                    "apply " + wanted.getKind() + " " + wanted.getMetadata().getName());
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
