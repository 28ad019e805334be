package dev.shellac.chaperone.edge;

import dev.shellac.chaperone.controller.Edge;
import dev.shellac.chaperone.controller.LiveState;
import dev.shellac.chaperone.controller.Meters;
import dev.shellac.chaperone.controller.WakeUp;
import dev.shellac.chaperone.kube.PodConfig;
import dev.shellac.chaperone.kube.PodWatches;
import dev.shellac.chaperone.kube.SecretWatch;
import dev.shellac.chaperone.kube.TlsBundle;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The one thread that starts and stops HAProxy. New ports, names and options are a new process, which takes the sockets over; the one before
 * ends with its last connection. A new content of a certificate goes to the process that runs, and to disk. What HAProxy refuses changes
 * nothing but the state.
 */
public final class HaproxySupervisor implements Edge, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HaproxySupervisor.class.getName());
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final int MOST_DOUBLINGS = 4;

    /** Where it gets its input. */
    public record Wires(PodWatches watches, WakeUp wakeUp, Runnable changed) {}

    private final HaproxyCommand program;
    private final HaproxyReleaseStore store;
    private final Wires wires;
    private final Meters meters;
    private final Thread thread;
    private final LeavingProcesses leaving = new LeavingProcesses();
    private final ProcessRoom room;
    private final RunningCertificates certificates;
    private final HaproxyReleaseChecks checks;
    private final Pace pace = new Pace();
    private Optional<Haproxy.Running> current = Optional.empty();
    private Optional<LiveRelease> live = Optional.empty();
    private Optional<HaproxyRelease> tried = Optional.empty();
    private final ConfigFit fit = new ConfigFit();
    private final FilesHash hash = new FilesHash();
    private final SharedConnections connections;
    private boolean wanted;
    private int deaths;
    private long notBefore = System.nanoTime();
    private Duration pause = IDLE;
    private volatile LiveState.Edge state = Edge.NONE.state();
    private volatile boolean stopped;
    private volatile boolean closing;
    private volatile boolean empty = true;

    public HaproxySupervisor(HaproxyCommand program, Path folder, Wires wires, Meters meters) {
        this.program = program;
        this.connections = new SharedConnections(program);
        this.room = new ProcessRoom(program, leaving);
        this.store = new HaproxyReleaseStore(folder);
        var verdicts = new CertificateVerdicts(program);
        this.checks = new HaproxyReleaseChecks(program, store, verdicts, meters);
        this.certificates = new RunningCertificates(program, store, verdicts);
        this.wires = wires;
        this.meters = meters;
        this.thread = Supervisor.PROCESS.platformThread("edge", this::run);
    }

    /** Removes what was left in its folder by one that was killed, before anybody takes it for keys in use. */
    public static void sweep(Path folder) throws IOException {
        new HaproxyReleaseStore(folder).sweep();
    }

    public void start() {
        thread.start();
    }

    @Override
    public LiveState.Edge state() {
        return state;
    }

    @Override
    public boolean isEmpty() {
        return empty;
    }

    @Override
    public void turnAway() {
        closing = true;
        wires.wakeUp().signal();
    }

    /** What HAProxy counts, as its runtime socket prints it; nothing while none runs. */
    public Optional<HaproxyCounters> counted() {
        return state.hash().isPresent() ? HaproxyCounters.read(program) : Optional.empty();
    }

    private void run() throws InterruptedException {
        while (!stopped) {
            wires.wakeUp().await(round());
        }
    }

    private Duration round() throws InterruptedException {
        Duration wait;
        try {
            wait = closing ? goAway() : settle();
        } catch (IOException | RuntimeException e) {
            // A full disk, or a mistake of ours: what is served stays, and it is tried again.
            LOG.log(Level.ERROR, "the edge failed", e);
            publish(Optional.of(e.toString()));
            wait = PAUSE;
        }
        wait = leaving.stopRevoked(wait);
        empty = leaving.count() == 0 && current.filter(Haproxy.Running::isAlive).isEmpty();
        return wait;
    }

    private Duration goAway() {
        current.ifPresent(leaving::add);
        current = Optional.empty();
        return IDLE;
    }

    private Duration settle() throws IOException, InterruptedException {
        Optional<PodConfig> config = wires.watches().config().known();
        Optional<String> text = config.flatMap(PodConfig::haproxy);
        if (config.isPresent()
                && text.isEmpty()
                && wires.watches().secret().map(SecretWatch::isGone).orElse(true)) {
            return end();
        }
        Optional<String> refused = Optional.empty();
        Optional<TlsBundle> bundle = wires.watches().secret().flatMap(SecretWatch::known);
        Optional<Duration> unfit = Optional.empty();
        pause = IDLE;
        if (text.isPresent() && bundle.isEmpty()) {
            wanted = true;
            refused = Optional.of("the Secret of certificates is not known yet");
        } else if (text.isPresent() || live.isPresent()) {
            wanted = true;
            refused = takeFitting(text.orElse(""), bundle);
            unfit = fit.left(System.nanoTime());
        }
        if (current.filter(Haproxy.Running::isAlive).isPresent()) {
            deaths = 0;
            publish(refused);
            connections.share(live, leaving.memory());
            Duration next = refused.isPresent() && tried.isEmpty() ? shorter(PAUSE, pause) : pause;
            return unfit.map(left -> shorter(left, next)).orElse(next);
        }
        Duration wait = again(refused);
        return unfit.map(left -> shorter(left, wait)).orElse(wait);
    }

    // Certificates go on with the configuration that they are for, whatever stands in the ConfigMap.
    private Optional<String> takeFitting(String text, Optional<TlsBundle> bundle)
            throws IOException, InterruptedException {
        Optional<String> before = live.map(now -> now.asked().config());
        Optional<String> fitting = Stream.concat(Stream.of(text), before.stream())
                .filter(config -> bundle.filter(found -> found.isFor(config)).isPresent())
                .findFirst();
        Optional<String> fault =
                fitting.isPresent() ? take(HaproxyRelease.of(fitting.get(), bundle.get())) : Optional.empty();
        return fit.fault(fitting.equals(Optional.of(text)), System.nanoTime()).or(() -> fault);
    }

    private Duration end() throws IOException {
        // Keys that never served go as well: while there are any, the VCL is bound to them.
        if (store.forget()) {
            LOG.log(Level.INFO, "no listener has TLS any more");
            wires.changed().run();
        }
        current.ifPresent(leaving::add);
        current = Optional.empty();
        live = Optional.empty();
        tried = Optional.empty();
        wanted = false;
        update(Edge.NONE.state());
        return IDLE;
    }

    // What is wrong with it, if it is not in use afterwards.
    private Optional<String> take(HaproxyRelease asked) throws IOException, InterruptedException {
        if (live.filter(now -> now.asked().equals(asked)).isPresent()) {
            room.reset();
            return Optional.empty();
        }
        if (tried.equals(Optional.of(asked))) {
            return state.refused();
        }
        if (!asked.missing().isEmpty()) {
            return Optional.of("waits for " + String.join(", ", asked.missing()));
        }
        Optional<Haproxy.Running> before = current.filter(Haproxy.Running::isAlive);
        if (before.isEmpty() || live.isEmpty()) {
            return begin(asked);
        }
        LiveRelease now = live.get();
        Map<String, String> bad = now.stillBad(asked);
        EdgeChange change = EdgeChange.between(now.used(), EdgeChange.mended(asked, bad.keySet(), now.used()));
        Duration rest = pace.rest(change.kind());
        if (rest.isPositive()) {
            pause = shorter(pause, rest.plusMillis(1));
            return Optional.empty();
        }
        if (change.kind() != EdgeChange.Kind.CERTIFICATES) {
            // Nobody is stopped for what HAProxy does not take.
            Optional<String> fault =
                    room.costsAnother(asked, change.kind(), before.get()) ? fault(asked) : Optional.empty();
            if (fault.isPresent()) {
                return fault;
            }
            Optional<String> full = room.make(asked, change.kind(), before.get());
            return full.isPresent() ? waitFor(full.get(), now, asked) : succeed(asked, change.kind());
        }
        rotate(now, asked, change.certificates());
        return Optional.empty();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    // Meanwhile, certificates rotate in the process that runs.
    private Optional<String> waitFor(String why, LiveRelease now, HaproxyRelease asked)
            throws IOException, InterruptedException {
        pause = shorter(pause, PAUSE);
        HaproxyRelease meanwhile = EdgeChange.meanwhile(now.asked(), asked);
        if (!meanwhile.equals(asked) && !meanwhile.equals(now.asked())) {
            take(meanwhile);
        }
        return Optional.of(why);
    }

    // The process that runs takes them, one by one; what it does not take stays as it was, in the process and on disk.
    private void rotate(LiveRelease now, HaproxyRelease asked, List<String> changed)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        Map<String, String> leftOut = new TreeMap<>(certificates.refused(now, asked, changed));
        int refused = leftOut.size();
        leftOut.putAll(now.stillBad(asked));
        HaproxyRelease used = EdgeChange.mended(asked, leftOut.keySet(), now.used());
        Path home = store.write(used);
        store.keep(home);
        tried = Optional.of(asked);
        live = Optional.of(now.next(home, asked, used, leftOut));
        meters.edgeErrors.increment(refused);
        meters.edgeReloads.increment();
        LOG.log(
                Level.INFO,
                "haproxy took {0} changed certificates, {1} are refused, {2} ms",
                String.valueOf(changed.size() - refused),
                String.valueOf(refused),
                String.valueOf(Duration.ofNanos(System.nanoTime() - start).toMillis()));
    }

    // What the process before has let in is let in no longer than what it does takes.
    private Optional<String> succeed(HaproxyRelease asked, EdgeChange.Kind kind)
            throws IOException, InterruptedException {
        Optional<Haproxy.Running> before = current;
        Optional<String> fault = begin(asked);
        if (kind == EdgeChange.Kind.REVOCATION && !current.equals(before)) {
            leaving.revoke();
            pace.revoked();
        }
        return fault;
    }

    // A process of its own.
    private Optional<String> begin(HaproxyRelease asked) throws IOException, InterruptedException {
        Optional<String> fault = fault(asked);
        if (fault.isPresent()) {
            return fault;
        }
        tried = Optional.of(asked);
        HaproxyReleaseChecks.Checked checked = checks.of(asked, live.map(LiveRelease::used));
        checked.leftOut()
                .forEach((name, words) -> LOG.log(Level.WARNING, "certificate {0} is left out: {1}", name, words));
        Path home = store.write(checked.used());
        return replace(LiveRelease.of(home, asked, checked.used(), checked.leftOut()));
    }

    // HAProxy's words, if it does not take it.
    private Optional<String> fault(HaproxyRelease asked) throws IOException, InterruptedException {
        // Without a verdict it is tried again.
        tried = Optional.empty();
        Optional<String> fault = checks.of(asked, live.map(LiveRelease::used)).fault();
        if (fault.isPresent()) {
            tried = Optional.of(asked);
            LOG.log(Level.WARNING, "haproxy.cfg refused, the one before stays: {0}", fault.get());
        }
        return fault;
    }

    private Optional<String> replace(LiveRelease next) throws IOException, InterruptedException {
        Optional<Haproxy.Running> before = current;
        long start = System.nanoTime();
        try {
            current = Optional.of(program.start(next.home(), before, wires.wakeUp()::signal));
        } catch (IOException e) {
            // That it did not start may be for another reason than what is in it: it is tried again.
            tried = Optional.empty();
            meters.edgeErrors.increment();
            LOG.log(Level.WARNING, "haproxy with the new configuration: {0}", e.getMessage());
            return Optional.of(String.valueOf(e.getMessage()));
        }
        before.filter(Haproxy.Running::isAlive).ifPresent(leaving::add);
        pace.start();
        room.reset();
        connections.reset();
        store.keep(next.home());
        live = Optional.of(next);
        meters.edgeReloads.increment();
        meters.haproxyStarts.increment();
        LOG.log(
                Level.INFO,
                "haproxy serves {0} certificates, {1} are left out, {2} ms",
                String.valueOf(next.certificates().size()),
                String.valueOf(next.leftOut().size()),
                String.valueOf(Duration.ofNanos(System.nanoTime() - start).toMillis()));
        return Optional.empty();
    }

    // The process is gone, or this is the first round of ours: with what was good before.
    private Duration again(Optional<String> refused) throws IOException, InterruptedException {
        current.ifPresent(gone -> {
            LOG.log(Level.WARNING, "haproxy is gone and is started again: {0}", gone.lastWords());
            deaths++;
        });
        current = Optional.empty();
        Optional<LiveRelease> last = live.isPresent() ? live : LiveRelease.last(store);
        wanted |= last.isPresent();
        publish(refused);
        if (last.isEmpty()) {
            return refused.isPresent() && tried.isEmpty() ? PAUSE : IDLE;
        }
        Duration wait = Duration.ofNanos(notBefore - System.nanoTime());
        if (wait.isPositive()) {
            return wait;
        }
        // The first time at once; one that dies again and again is given time.
        notBefore = System.nanoTime()
                + RETRY.multipliedBy(1L << Math.min(deaths, MOST_DOUBLINGS)).toNanos();
        try {
            current = Optional.of(program.start(last.get().home(), Optional.empty(), wires.wakeUp()::signal));
            live = last.map(LiveRelease::startedAgain);
            connections.reset();
            meters.haproxyStarts.increment();
        } catch (IOException e) {
            deaths++;
            LOG.log(Level.WARNING, "{0}", e.getMessage());
            publish(Optional.of(String.valueOf(e.getMessage())));
            return RETRY;
        }
        publish(refused);
        return IDLE;
    }

    private void publish(Optional<String> refused) {
        boolean runs = current.filter(Haproxy.Running::isAlive).isPresent();
        update(new LiveState.Edge(
                wanted,
                live.filter(now -> runs).map(LiveRelease::hash),
                refused,
                live.filter(now -> runs).map(now -> hash.of(now.asked())),
                live.map(now -> now.certificates().size()).orElse(0),
                live.map(LiveRelease::leftOut).orElse(Map.of())));
    }

    private void update(LiveState.Edge next) {
        if (!next.equals(state)) {
            state = next;
            wires.changed().run();
        }
    }

    /** Ends the loop, then HAProxy. */
    @Override
    public void close() {
        stopped = true;
        wires.wakeUp().signal();
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        leaving.stop();
        current.ifPresent(Haproxy.Running::stop);
    }
}
