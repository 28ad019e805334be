package dev.shellac.operator;

import dev.shellac.kube.api.ApiServer;
import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.kube.watch.NamespaceShares;
import dev.shellac.kube.write.HttpKubeWriter;
import dev.shellac.kube.write.StatusEdit;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.controller.GatewayController;
import dev.shellac.operator.controller.Inbox;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorServer;
import dev.shellac.operator.http.OperatorServer.Answer;
import dev.shellac.operator.objects.KubernetesRenderer;
import dev.shellac.operator.pods.HttpChangePusher;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.ChildApplier;
import dev.shellac.operator.write.EventRecorder;
import dev.shellac.operator.write.GatewayClassFinalizer;
import dev.shellac.operator.write.LastUserVcls;
import dev.shellac.operator.write.LastValidRoutes;
import dev.shellac.operator.write.OwnedObjectCache;
import dev.shellac.operator.write.OwnershipGuard;
import dev.shellac.operator.write.StatusWriter;
import dev.shellac.operator.write.WorkQueue;
import dev.shellac.threads.Supervisor;
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
    private static final WorkQueue.Limits WRITES = WorkQueue.Limits.of(16, 4);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration DRAINS_WITHIN = Duration.ofSeconds(2);
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
    private final HttpKubeWriter kube;
    private final KubernetesRenderer renderer;
    private final Tokens tokens;
    private int healthPort;
    private int metricsPort;
    private volatile boolean synced;
    private volatile boolean stopped;
    private volatile Optional<ReconcileRunner> runner = Optional.empty();
    private Optional<Leadership> leadership = Optional.empty();

    private Operator(Options options, KubernetesClient client, Runnable lost) {
        this.options = options;
        this.client = client;
        this.lost = lost;
        this.api = ApiServer.of(client);
        this.kube = HttpKubeWriter.of(api);
        this.renderer = new KubernetesRenderer(options.platform());
        this.tokens = new Tokens(renderer::label);
        this.thread = Thread.ofPlatform().name("loop").unstarted(this::run);
    }

    static Operator start(Options options, KubernetesClient client, Runnable lost) throws IOException {
        var operator = new Operator(options, client, lost);
        operator.healthPort = operator.server.serve(
                options.health(), Map.of("/healthz", operator::health, "/readyz", operator::ready));
        operator.metricsPort = operator.server.serve(
                options.metrics(), Map.of("/metrics", () -> Answer.ok(operator.registry.scrape())));
        operator.thread.start();
        return operator;
    }

    int healthPort() {
        return healthPort;
    }

    int metricsPort() {
        return metricsPort;
    }

    private Answer health() {
        if (runner.filter(running -> running.hasStoodStillFor(STUCK)).isPresent()) {
            return Answer.not("the loop has made no progress for " + STUCK.toMinutes() + " minutes");
        }
        return Supervisor.PROCESS
                .failing()
                .map(name -> Answer.not("thread " + name + " ends again and again"))
                .orElse(Answer.ok("ok\n"));
    }

    private Answer ready() {
        return synced && !stopped ? Answer.ok("ready\n") : Answer.not("the cluster was not read yet");
    }

    private void run() {
        var router = new DriftRouter(inbox);
        var shares = NamespaceShares.ofHeap(options.heap());
        var routes = new LastValidRoutes(
                inbox, new LastValidRoutes.Home(kube, options.identity().namespace()), shares);
        var vcls =
                new LastUserVcls(new LastUserVcls.Home(kube, options.identity().namespace()));
        try (ClusterWatch clusterWatch =
                        ClusterWatch.start(api, routes, new ClusterWatch.Reading(Labels.OF_SERVICES, shares));
                OwnedObjectCache ownedObjects = OwnedObjectCache.start(api, router);
                PodRegistry podRegistry = PodRegistry.start(api, tokens, inbox::pods);
                HttpChangePusher pusher = HttpChangePusher.to(podRegistry, tokens)) {
            while (!clusterWatch.awaitSynced(SYNCED_WITHIN) || !ownedObjects.awaitSynced(SYNCED_WITHIN)) {
                LOG.log(Level.INFO, "the cluster is still being read");
            }
            synced = true;
            LOG.log(Level.INFO, "the cluster was read");
            lead();
            var guard = new OwnershipGuard(kube, ownedObjects::find, tokens::isOfAnother, inbox::pods);
            try (WorkQueue queue = WorkQueue.start("writes", WRITES);
                    EventRecorder events = EventRecorder.start(kube, clock);
                    GatewayClassFinalizer classes = GatewayClassFinalizer.start(kube);
                    ChildApplier children = ChildApplier.start(
                            new ChildApplier.Edges(guard, ownedObjects, queue),
                            new ChildEventReporter(metrics, events));
                    StatusWriter statuses = StatusWriter.start(
                            new StatusEdit(kube, Settings.CONTROLLER_NAME, clock),
                            new StatusEventReporter(metrics, events))) {
                router.to(children);
                lead("the last valid forms of routes", () -> routes.lead(queue));
                lead("the VCL that was last in effect", () -> vcls.lead(queue));
                var ports = new LivePorts(
                        new LivePorts.Edges(
                                clusterWatch,
                                new LivePorts.Stores(routes, vcls),
                                ownedObjects,
                                podRegistry,
                                pusher,
                                guard),
                        tokens,
                        new LivePorts.Writers(queue, children, statuses, classes, events),
                        inbox,
                        metrics);
                var outcomes = new OutcomeMetrics(metrics);
                var certificates = new CertificateExpiryMonitor(metrics, ports::record);
                var next = new ReconcileRunner(
                        new GatewayController(ports, renderer, Features.settings()),
                        inbox,
                        metrics,
                        ReconcileRunner.Patience.USUAL);
                runner = Optional.of(next);
                next.run(clock, new ReconcileRunner.Around() {
                    @Override
                    public void first(GatewayController controller) {
                        controller.sweep(ownedObjects.all());
                    }

                    @Override
                    public void each(GatewayController controller, Instant now) {
                        outcomes.update(controller.outcome());
                        certificates.update(controller.snapshot(), controller.outcome(), now);
                    }
                });
                statuses.drain(DRAINS_WITHIN);
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "the loop ends");
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "the loop ended, and the process with it", e);
            lost.run();
        }
    }

    /** Reads what the process before this one kept. */
    private interface Beginning {
        void lead() throws IOException, InterruptedException;
    }

    // A server that does not answer now is asked again: without it what serves would be gone.
    private static void lead(String what, Beginning beginning) throws InterruptedException {
        while (true) {
            try {
                beginning.lead();
                return;
            } catch (IOException e) {
                LOG.log(Level.WARNING, "{0} cannot be read: {1}", what, e.getMessage());
                Thread.sleep(RETRY);
            }
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
        runner.ifPresentOrElse(ReconcileRunner::stop, thread::interrupt);
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
