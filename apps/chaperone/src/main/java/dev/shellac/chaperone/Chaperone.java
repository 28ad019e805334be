package dev.shellac.chaperone;

import dev.shellac.chaperone.edge.EdgeLoop;
import dev.shellac.chaperone.edge.HaproxyCommand;
import dev.shellac.chaperone.http.PodServer;
import dev.shellac.chaperone.kube.ApiServer;
import dev.shellac.chaperone.kube.Backoff;
import dev.shellac.chaperone.kube.Feeds;
import dev.shellac.chaperone.live.BackendsFile;
import dev.shellac.chaperone.live.Bell;
import dev.shellac.chaperone.live.Board;
import dev.shellac.chaperone.live.Drain;
import dev.shellac.chaperone.live.Loop;
import dev.shellac.chaperone.live.Meters;
import dev.shellac.chaperone.live.StartedVarnishd;
import dev.shellac.chaperone.live.VclVerification;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/** All parts of a chaperone, wired. */
final class Chaperone implements AutoCloseable {
    private final Feeds feeds;
    private final Loop loop;
    private final EdgeLoop edge;
    private final Drain drain;
    private final PodServer server;

    private Chaperone(Feeds feeds, Loop loop, EdgeLoop edge, Drain drain, PodServer server) {
        this.feeds = feeds;
        this.loop = loop;
        this.edge = edge;
        this.drain = drain;
        this.server = server;
    }

    static Chaperone start(Settings settings, ApiServer api, InstantSource clock) throws IOException {
        Path folder = settings.varnishd().folder();
        Path keys = folder.resolve("edge");
        Files.createDirectories(folder);
        EdgeLoop.sweep(keys);
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var meters = new Meters(registry);
        var board = new Board(clock.millis());
        var bell = new Bell();
        var edgeBell = new Bell();
        Optional<BackendsFile> backends = settings.backends()
                .map(file -> new BackendsFile(file, settings.source().names().namespace()));
        Loop.Parts parts = Loop.Parts.of(settings.files(), settings.sockets(), meters, settings.timing(), backends);
        Feeds feeds = Feeds.start(api, settings.source().names(), Backoff.usual(), () -> {
            bell.ring();
            edgeBell.ring();
        });
        var verification = new VclVerification(feeds.secret(), keys);
        var edge = new EdgeLoop(
                new HaproxyCommand(settings.haproxy(), folder),
                keys,
                new EdgeLoop.Wires(feeds, edgeBell, bell::ring),
                meters);
        var loop = new Loop(
                new Loop.Wires(StartedVarnishd.with(settings.varnishd(), clock), feeds, edge, bell, board),
                parts,
                verification,
                settings.timing(),
                clock);
        var drain = new Drain(loop, edge, settings.timing());
        PodServer server;
        try {
            server = PodServer.start(
                    new PodServer.Shown(loop, edge, drain, board, feeds.config(), registry),
                    settings.serving().token(),
                    settings.serving().pod(),
                    settings.serving().health(),
                    settings.serving().debug());
        } catch (IOException e) {
            feeds.close();
            throw e;
        }
        loop.start();
        edge.start();
        return new Chaperone(feeds, loop, edge, drain, server);
    }

    int port() {
        return server.port();
    }

    /** How often something was made live, or found to be. */
    long rounds() {
        return loop.rounds();
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
        feeds.close();
        edge.close();
        loop.close();
        server.close();
    }
}
