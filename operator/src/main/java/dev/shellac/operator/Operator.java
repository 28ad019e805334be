package dev.shellac.operator;

import dev.shellac.kube.api.ApiServer;
import dev.shellac.kube.watch.Feeds;
import dev.shellac.kube.write.LiveCluster;
import dev.shellac.kube.write.StatusEdit;
import dev.shellac.operator.fleet.Fleet;
import dev.shellac.operator.fleet.PodCourier;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorServer;
import dev.shellac.operator.http.OperatorServer.Answer;
import dev.shellac.operator.loop.Inbox;
import dev.shellac.operator.loop.Loop;
import dev.shellac.operator.objects.ClusterObjects;
import dev.shellac.operator.write.ChildrenDesk;
import dev.shellac.operator.write.ClassGuard;
import dev.shellac.operator.write.EventDesk;
import dev.shellac.operator.write.Owned;
import dev.shellac.operator.write.OwnershipGuard;
import dev.shellac.operator.write.StatusDesk;
import dev.shellac.translate.Settings;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** All parts, wired and running. Everything is watched from the start; nothing is written before the Lease is ours. */
final class Operator implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Operator.class.getName());
    private static final Duration SYNCED_WITHIN = Duration.ofSeconds(10);
    private static final Duration STUCK = Duration.ofMinutes(2);
    private static final Duration FLUSHES_WITHIN = Duration.ofSeconds(10);
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(5);

    private final Options options;
    private final KubernetesClient client;
    private final Runnable lost;
    private final InstantSource clock = InstantSource.system();
    private final Inbox inbox = new Inbox();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final OperatorMetrics metrics = new OperatorMetrics(registry);
    private final OperatorServer server = new OperatorServer();
    private final ReentrantLock ending = new ReentrantLock();
    private final Thread thread;
    private final ApiServer api;
    private final LiveCluster cluster;
    private final ClusterObjects objects;
    private final Tokens tokens;
    private int metricsPort;
    private volatile boolean synced;
    private volatile boolean stopped;
    private volatile Optional<Turns> turns = Optional.empty();
    private Optional<Leadership> leadership = Optional.empty();

    private Operator(Options options, KubernetesClient client, Runnable lost) {
        this.options = options;
        this.client = client;
        this.lost = lost;
        this.api = ApiServer.of(client);
        this.cluster = LiveCluster.of(api);
        this.objects = new ClusterObjects(options.platform());
        this.tokens = new Tokens(objects::label);
        this.thread = Thread.ofPlatform().name("loop").unstarted(this::run);
    }

    static Operator start(Options options, KubernetesClient client, Runnable lost) throws IOException {
        var operator = new Operator(options, client, lost);
        operator.server.serve(options.health(), Map.of("/healthz", operator::health, "/readyz", operator::ready));
        operator.metricsPort = operator.server.serve(
                options.metrics(), Map.of("/metrics", () -> Answer.ok(operator.registry.scrape())));
        operator.thread.start();
        return operator;
    }

    int metricsPort() {
        return metricsPort;
    }

    private Answer health() {
        return turns.filter(running -> running.hasTurnedFor(STUCK)).isPresent()
                ? Answer.not("a turn takes longer than " + STUCK.toMinutes() + " minutes")
                : Answer.ok("ok\n");
    }

    private Answer ready() {
        return synced && !stopped ? Answer.ok("ready\n") : Answer.not("the cluster was not read yet");
    }

    private void run() {
        var touches = new Touches(inbox);
        try (Feeds feeds = Feeds.start(api, inbox);
                Owned owned = Owned.start(api, touches);
                Fleet fleet = Fleet.start(api, tokens, inbox::fleet);
                PodCourier courier = PodCourier.to(fleet, tokens)) {
            while (!feeds.awaitSynced(SYNCED_WITHIN) || !owned.awaitSynced(SYNCED_WITHIN)) {
                LOG.log(Level.INFO, "the cluster is still being read");
            }
            synced = true;
            LOG.log(Level.INFO, "the cluster was read");
            lead();
            var guard = new OwnershipGuard(cluster, owned::find, inbox::fleet);
            try (EventDesk events = EventDesk.start(cluster, clock);
                    ClassGuard classes = ClassGuard.start(cluster);
                    ChildrenDesk children = ChildrenDesk.start(guard, owned, new ChildrenTelling(metrics, events));
                    StatusDesk statuses = StatusDesk.start(
                            new StatusEdit(cluster, Settings.CONTROLLER_NAME, clock),
                            new StatusTelling(metrics, events))) {
                touches.to(children);
                var ports = new LivePorts(
                        new LivePorts.Edges(feeds, owned, fleet, courier, guard),
                        new LivePorts.Desks(children, statuses, classes, events),
                        inbox,
                        metrics);
                var survey = new Survey(metrics, ports::tell);
                var next =
                        new Turns(new Loop(ports, objects, Features.settings()), inbox, metrics, Turns.Patience.USUAL);
                turns = Optional.of(next);
                next.run(clock, new Turns.Around() {
                    @Override
                    public void first(Loop loop) {
                        loop.sweep(owned.all());
                    }

                    @Override
                    public void each(Loop loop, Instant now) {
                        tokens.learn(loop.snapshot());
                        survey.look(loop, now);
                    }
                });
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "the loop ends");
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "the loop ended, and the process with it", e);
            lost.run();
        }
    }

    private void lead() throws InterruptedException {
        if (options.election() == Options.Election.LEASE) {
            Leadership seeking = Leadership.seek(client, options.identity(), lost);
            ending.lock();
            try {
                leadership = Optional.of(seeking);
            } finally {
                ending.unlock();
            }
            seeking.awaitWon();
        }
        metrics.leads(true);
        LOG.log(Level.INFO, "this process writes");
    }

    /** Writes what is not written yet and ends all that runs; the Lease is given back last, when nothing is written any more. */
    @Override
    public void close() {
        stopped = true;
        turns.ifPresentOrElse(Turns::stop, thread::interrupt);
        try {
            thread.join(FLUSHES_WITHIN);
            thread.interrupt();
            thread.join(ENDS_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ending.lock();
        try {
            leadership.ifPresent(Leadership::close);
        } finally {
            ending.unlock();
        }
        server.close();
        client.close();
        LOG.log(Level.INFO, "the operator has ended");
    }
}
