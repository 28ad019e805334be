package dev.shellac.chaperone;

import dev.shellac.chaperone.controller.BackendsFile;
import dev.shellac.chaperone.controller.Drain;
import dev.shellac.chaperone.controller.Meters;
import dev.shellac.chaperone.controller.PodController;
import dev.shellac.chaperone.controller.StartedVarnishd;
import dev.shellac.chaperone.controller.StatePublisher;
import dev.shellac.chaperone.controller.VclVerification;
import dev.shellac.chaperone.controller.WakeUp;
import dev.shellac.chaperone.edge.HaproxyCommand;
import dev.shellac.chaperone.edge.HaproxySupervisor;
import dev.shellac.chaperone.http.PodServer;
import dev.shellac.chaperone.kube.ApiServer;
import dev.shellac.chaperone.kube.Backoff;
import dev.shellac.chaperone.kube.PodWatches;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/** All parts of a chaperone, wired. */
final class Chaperone implements AutoCloseable {
    private final PodWatches watches;
    private final PodController controller;
    private final HaproxySupervisor edge;
    private final Drain drain;
    private final PodServer server;

    private Chaperone(
            PodWatches watches, PodController controller, HaproxySupervisor edge, Drain drain, PodServer server) {
        this.watches = watches;
        this.controller = controller;
        this.edge = edge;
        this.drain = drain;
        this.server = server;
    }

    static Chaperone start(Settings settings, ApiServer api, InstantSource clock) throws IOException {
        Path folder = settings.varnishd().folder();
        Path keys = folder.resolve("edge");
        Files.createDirectories(folder);
        HaproxySupervisor.sweep(keys);
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var meters = new Meters(registry);
        var publisher = new StatePublisher(clock.millis());
        var wakeUp = new WakeUp();
        var edgeWakeUp = new WakeUp();
        Optional<BackendsFile> backends = settings.backends()
                .map(file -> new BackendsFile(file, settings.source().names().namespace()));
        PodController.Parts parts =
                PodController.Parts.of(settings.files(), settings.sockets(), meters, settings.timing(), backends);
        PodWatches watches = PodWatches.start(api, settings.source().names(), Backoff.usual(), () -> {
            wakeUp.signal();
            edgeWakeUp.signal();
        });
        var verification = new VclVerification(watches.secret(), keys);
        var edge = new HaproxySupervisor(
                new HaproxyCommand(settings.haproxy(), folder),
                keys,
                new HaproxySupervisor.Wires(watches, edgeWakeUp, wakeUp::signal),
                meters);
        var controller = new PodController(
                new PodController.Wires(
                        StartedVarnishd.with(settings.varnishd(), clock), watches, edge, wakeUp, publisher),
                parts,
                verification,
                settings.timing(),
                clock);
        var drain = new Drain(controller, edge, settings.timing());
        PodServer server;
        try {
            server = PodServer.start(
                    new PodServer.Shown(controller, edge, drain, publisher, watches.config(), registry),
                    settings.serving().token(),
                    settings.serving().pod(),
                    settings.serving().health(),
                    settings.serving().debug());
        } catch (IOException e) {
            watches.close();
            throw e;
        }
        controller.start();
        edge.start();
        return new Chaperone(watches, controller, edge, drain, server);
    }

    int port() {
        return server.port();
    }

    /** How often something was made live, or found to be. */
    long rounds() {
        return controller.rounds();
    }

    int debugPort() {
        return server.debugPort();
    }

    /** Lets everybody finish, then stops. */
    void drain() throws InterruptedException {
        drain.finish();
        close();
    }

    @Override
    public void close() {
        watches.close();
        edge.close();
        controller.close();
        server.close();
    }
}
