package dev.shellac.chaperone.controller;

import dev.shellac.chaperone.kube.PodConfig;
import dev.shellac.chaperone.kube.PodWatches;
import dev.shellac.chaperone.kube.SecretWatch;
import dev.shellac.chaperone.kube.Slices;
import dev.shellac.threads.Supervisor;
import dev.shellac.varnishconfig.table.PodTable;
import dev.shellac.varnishd.VclOutcome;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The one thread that says anything to varnishd. It takes the newest of everything, makes that live, and says what came of it; whatever
 * happened meanwhile is the next round, however much it was. No configuration ends it.
 */
public final class PodController implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PodController.class.getName());
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final int MOST_DOUBLINGS = 4;
    private static final String CLOSING = """
            # This pod ends: every answer is the last one of its connection.
            sub vcl_deliver { set resp.http.Connection = "close"; }
            sub vcl_synth { set resp.http.Connection = "close"; }
            """;

    private final Varnish.Starter starter;
    private final PodWatches watches;
    private final Edge edge;
    private final WakeUp wakeUp;
    private final StatePublisher publisher;
    private final Timing timing;
    private final Parts parts;
    private final VclVerification verification;
    private final InstantSource clock;
    private final Thread thread;
    private final AnswerProbe probe = new AnswerProbe(this::varnish, System::nanoTime);
    private final AtomicLong rounds = new AtomicLong();
    private volatile Optional<Varnish> varnish = Optional.empty();
    private volatile boolean stopped;
    private volatile boolean closing;
    private volatile Optional<PodTable> encoded = Optional.empty();
    private volatile boolean open;
    private Optional<Instant> liveSince = Optional.empty();
    private boolean closed;
    private int failedStarts;
    private long notBefore = System.nanoTime();
    private long seenChanges;
    private Optional<String> startFault = Optional.empty();

    /** What the loop works on. */
    public record Parts(VclUpdater vcl, TableUpdater table, Meters meters, Optional<BackendsFile> backends) {
        public static Parts of(
                PodFiles files, Set<String> sockets, Meters meters, Timing timing, Optional<BackendsFile> backends)
                throws IOException {
            return new Parts(
                    new VclUpdater(files, meters), new TableUpdater(files, sockets, meters, timing), meters, backends);
        }
    }

    /** Where it gets its input, and where its results hang. */
    public record Wires(
            Varnish.Starter starter, PodWatches watches, Edge edge, WakeUp wakeUp, StatePublisher publisher) {}

    public PodController(Wires wires, Parts parts, VclVerification verification, Timing timing, InstantSource clock) {
        this.starter = wires.starter();
        this.watches = wires.watches();
        this.edge = wires.edge();
        this.wakeUp = wires.wakeUp();
        this.publisher = wires.publisher();
        this.parts = parts;
        this.verification = verification;
        this.timing = timing;
        this.clock = clock;
        this.thread = Supervisor.PROCESS.platformThread("loop", this::run);
    }

    public void start() {
        thread.start();
        probe.start();
    }

    private void run() throws InterruptedException {
        while (!stopped) {
            wakeUp.await(round());
        }
    }

    // How long until the next round, unless something happens before.
    private Duration round() {
        rounds.incrementAndGet();
        Optional<String> fault = Optional.empty();
        Duration wait;
        try {
            wait = step();
        } catch (IOException | RuntimeException e) {
            // A full disk, or a mistake of ours: what is served stays, and it is tried again.
            LOG.log(Level.ERROR, "a round of the loop failed", e);
            fault = Optional.of(e.toString());
            wait = timing.retry();
        }
        publish(fault);
        return wait;
    }

    private Duration step() throws IOException {
        Optional<PodConfig> config = watches.config().known();
        config.ifPresent(found -> parts.table().take(found, clock.instant()));
        watches.slices().want(parts.table().services());
        Slices slices = watches.slices().known();
        parts.meters().endpointChanges.increment((double) (slices.changes() - seenChanges));
        seenChanges = slices.changes();
        if (!alive()) {
            return positive(Duration.ofNanos(notBefore - System.nanoTime()));
        }
        Varnish running = varnish.orElseThrow();
        if (running.wasReplaced()) {
            parts.table().forget();
        }
        long nanos = System.nanoTime();
        Optional<String> vcl = verification.accepted(config.flatMap(PodConfig::vcl), nanos);
        parts.vcl().beginWith(config.flatMap(PodConfig::goodVcl).filter(text -> verification.accepts(text, nanos)));
        boolean settled = closing ? close(running) : parts.vcl().settle(running, vcl, clock.instant());
        verification.live(parts.vcl().state().hash(), System.nanoTime());
        if (parts.vcl().state().name().isEmpty()) {
            return sooner(verification.left(), settled ? IDLE : timing.retry());
        }
        Optional<Duration> next = parts.table().settle(running, slices, clock.instant());
        encoded = parts.table().encoded();
        watches.slices().want(parts.table().services());
        if (parts.backends().isPresent() && encoded.isPresent()) {
            parts.backends().get().write(encoded.get());
        }
        failedStarts = 0;
        return sooner(next, sooner(verification.left(), settled ? IDLE : timing.retry()));
    }

    private static Duration sooner(Optional<Duration> time, Duration wait) {
        return time.filter(found -> found.compareTo(wait) < 0)
                .map(PodController::positive)
                .orElse(wait);
    }

    private static Duration positive(Duration time) {
        return time.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : time;
    }

    private boolean close(Varnish running) throws IOException {
        if (!closed && parts.vcl().state().name().isPresent()) {
            VclOutcome outcome = parts.vcl().with(running, CLOSING);
            closed = outcome instanceof VclOutcome.Live;
            LOG.log(Level.INFO, "answers close their connections from now on: {0}", outcome);
        }
        return closed || parts.vcl().state().name().isEmpty();
    }

    private boolean alive() {
        if (varnish.filter(Varnish::isAlive).isPresent()) {
            return true;
        }
        varnish.ifPresent(gone -> {
            startFault = gone.lastWords().or(() -> Optional.of("varnishd is gone"));
            LOG.log(Level.WARNING, "{0}; it is started again", startFault.orElse(""));
            gone.close();
            failedStarts++;
        });
        varnish = Optional.empty();
        if (System.nanoTime() < notBefore) {
            return false;
        }
        // The first time at once; one that dies again and again is given time.
        Duration pause = timing.retry().multipliedBy(1L << Math.min(failedStarts, MOST_DOUBLINGS));
        notBefore = System.nanoTime() + pause.toNanos();
        parts.vcl().started();
        parts.table().forget();
        try {
            varnish = Optional.of(starter.start(wakeUp::signal));
            parts.meters().varnishdStarts.increment();
            return true;
        } catch (IOException e) {
            failedStarts++;
            startFault = Optional.of("varnishd cannot be started: " + e.getMessage());
            LOG.log(Level.ERROR, "{0}", startFault.get());
            return false;
        }
    }

    private void publish(Optional<String> fault) {
        Map<String, String> faults = new HashMap<>(parts.table().faults());
        fault.ifPresent(words -> faults.put("loop", words));
        faults.putAll(verification.faults());
        watches.config().fault().ifPresent(words -> faults.put("ConfigMap", words));
        watches.config().known().flatMap(PodConfig::fault).ifPresent(words -> faults.put("ConfigMap routing", words));
        if (edge().wanted()) {
            watches.secret().flatMap(SecretWatch::fault).ifPresent(words -> faults.put("Secret", words));
        }
        Slices slices = watches.slices().known();
        slices.faults().forEach((namespace, words) -> faults.put("EndpointSlices of " + namespace, words));
        LiveState.Vcl vcl = parts.vcl().state();
        if (vcl.name().isEmpty()) {
            startFault.ifPresent(words -> faults.put("varnishd", words));
        }
        var state = new LiveState(
                new LiveState.Config(
                        watches.config().known().map(PodConfig::version),
                        parts.table().liveRouting()),
                parts.table().state(),
                vcl,
                new LiveState.Endpoints(
                        slices.listed(),
                        parts.table().encoded().map(table -> table.waitsFor()).orElse(Set.of())),
                edge(),
                faults);
        open(state);
        publisher.publish(state);
    }

    // A pod that has not served yet waits for TLS, for a while. One that serves stays ready, whatever becomes of a
    // listener: a mistake with a certificate must not take away those without one.
    private void open(LiveState state) {
        if (open || !state.isLive()) {
            return;
        }
        liveSince = liveSince.or(() -> Optional.of(clock.instant()));
        open = !state.edge().isMissing() || liveSince.get().plus(timing.tls()).isBefore(clock.instant());
    }

    /** Everything that this pod shall serve was served once, or was waited for long enough. */
    public boolean isOpen() {
        return open;
    }

    // A listener that has just come is waited for, also if the edge has not looked yet.
    private LiveState.Edge edge() {
        LiveState.Edge now = edge.state();
        boolean wanted = watches.config()
                .known()
                .map(config -> config.haproxy().isPresent())
                .orElse(now.wanted());
        return new LiveState.Edge(wanted, now.hash(), now.refused(), now.certificates(), now.shown(), now.leftOut());
    }

    /** Requests get through varnishd, or have not been without an answer for long. */
    public boolean isAnswered() {
        return probe.isAnswered();
    }

    /** The varnishd that runs. */
    public Optional<Varnish> varnish() {
        return varnish;
    }

    /** The pools of the table that was made last, as JSON. */
    public String pools() {
        return encoded.map(PodTable::poolsJson).orElse("{}");
    }

    /** How often it looked whether something is to be done. */
    public long rounds() {
        return rounds.get();
    }

    public boolean isRunning() {
        return thread.isAlive();
    }

    /** From now on each answer is the last one of its connection. */
    void turnAway() {
        closing = true;
        wakeUp.signal();
    }

    /** Ends the loop, then varnishd. */
    @Override
    public void close() {
        stopped = true;
        probe.close();
        wakeUp.signal();
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        varnish.ifPresent(Varnish::close);
    }
}
