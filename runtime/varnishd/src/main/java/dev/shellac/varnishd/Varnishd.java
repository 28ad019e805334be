package dev.shellac.varnishd;

import dev.shellac.varnishd.cli.CliCommand;
import dev.shellac.varnishd.cli.CliLink;
import dev.shellac.varnishd.cli.CliOutcome;
import dev.shellac.varnishd.cli.CliSecret;
import dev.shellac.varnishd.ghost.GhostControl;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A varnishd that we started. The manager starts the process that serves once there is a VCL for it, and starts it again when it dies;
 * we notice by its process number, check what is in use and have ghost load its table. When the manager itself dies the
 * owner is told, once.
 */
public final class Varnishd implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Varnishd.class.getName());
    private static final int KEPT_VCLS = 3;
    private static final Pattern VALUE = Pattern.compile("Value is: (\\S+)");
    private static final Pattern USUAL = Pattern.compile("Default is: (\\S+)");
    private static final String UNDER_WAY = "Child in state";
    private static final Pattern WORKER = Pattern.compile("Worker: +([0-9]+)");

    private final VarnishdSettings settings;
    private final Patience patience;
    private final VarnishdOwner owner;
    private final CliLink link;
    private final VarnishdProcess process;
    private final Vcls vcls;
    private final GhostControl ghost;
    private final Semaphore nudges = new Semaphore(0);
    private boolean vmodPathSet;
    private volatile boolean stopping;
    private volatile Optional<Long> worker = Optional.empty();
    private Optional<Long> known = Optional.empty();

    private Varnishd(VarnishdSettings settings, Patience patience, VarnishdOwner owner, long birth) throws IOException {
        this.settings = settings;
        this.patience = patience;
        this.owner = owner;
        CliSecret secret = CliSecret.draw(new SecureRandom());
        // varnishd gives up its privileges and must still find its way.
        Files.createDirectories(settings.folder());
        Files.createDirectories(
                settings.workdir(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        secret.write(settings.secretFile());
        this.link = CliLink.open(secret);
        this.vcls = new Vcls(link, patience, birth, KEPT_VCLS);
        this.ghost = new GhostControl(settings.controlSocket(), patience.reload());
        try {
            String callback = link.address().getAddress().getHostAddress() + ":"
                    + link.address().getPort();
            this.process = VarnishdProcess.start(settings.commandLine(callback), this::printed);
        } catch (IOException e) {
            link.close();
            throw e;
        }
    }

    /** Starts it. That it cannot be started at all is an exception; that it gave up soon after is told to the owner. */
    public static Varnishd start(VarnishdSettings settings, Patience patience, VarnishdOwner owner, InstantSource clock)
            throws IOException {
        var varnishd = new Varnishd(settings, patience, owner, clock.millis());
        Thread.ofVirtual().name("varnishd-end").start(varnishd::awaitEnd);
        Thread.ofVirtual().name("varnishd-watch").start(varnishd::watch);
        return varnishd;
    }

    /** Loads and uses a VCL; with the first one varnishd begins to serve. */
    public VclOutcome load(Path vcl) {
        Optional<CliOutcome> fault = vmodPath();
        if (fault.isPresent()) {
            return new VclOutcome.Unknown(
                    "the folder of VMODs could not be set: " + fault.get().words());
        }
        VclOutcome outcome = vcls.load(vcl);
        return outcome instanceof VclOutcome.Live live ? serving(live) : outcome;
    }

    // Where varnishd looks by itself is known to it alone: ours goes before that, and that before a user's. What went
    // wrong, if anything.
    private synchronized Optional<CliOutcome> vmodPath() {
        if (!settings.asksForVmods() || vmodPathSet) {
            return Optional.empty();
        }
        CliOutcome shown = link.send(CliCommand.of("param.show", "vmod_path"), patience.load());
        Matcher value = VALUE.matcher(shown.words());
        if (!shown.isDone() || !value.find()) {
            return Optional.of(shown);
        }
        Matcher usual = USUAL.matcher(shown.words());
        String path = Stream.of(
                        settings.vmodPath().map(Path::toString),
                        usual.find() ? Optional.of(usual.group(1)) : Optional.<String>empty(),
                        Optional.of(value.group(1)))
                .flatMap(Optional::stream)
                .distinct()
                .collect(Collectors.joining(":"));
        CliOutcome set = link.send(CliCommand.of("param.set", "vmod_path", path), patience.command());
        vmodPathSet = set.isDone();
        return vmodPathSet ? Optional.empty() : Optional.of(set);
    }

    /** Back to the VCL that was in use before. */
    public VclOutcome rollback() {
        return vcls.rollback();
    }

    /** The name of the VCL that is to be in use. */
    public Optional<String> vcl() {
        return vcls.wanted();
    }

    /** How many VCLs varnishd has; nothing if it cannot be asked. */
    Optional<Integer> loadedVcls() {
        return vcls.list().map(List::size);
    }

    // A VCL that compiles may still fail to start the process: what varnishd says then is about that VCL.
    // Not so that the process is starting already: the one who watches may have asked for it.
    private VclOutcome serving(VclOutcome.Live live) {
        if (worker.isPresent()) {
            return live;
        }
        CliOutcome started = link.send(CliCommand.of("start"), patience.load());
        boolean serves = started.isDone()
                || note(link.send(CliCommand.of("pid"), patience.load())).isPresent();
        nudges.release();
        if (serves) {
            return live;
        }
        String why = "varnishd does not start with it: " + started.words();
        return started instanceof CliOutcome.Answered && !started.words().startsWith(UNDER_WAY)
                ? new VclOutcome.Refused(why)
                : new VclOutcome.Unknown(why);
    }

    /** Has ghost load its table. */
    public ReloadAnswer reload() {
        return ghost.reload();
    }

    /** Whether a request on the control socket gets an answer within this time. */
    public boolean answers(Duration timeout) {
        return ghost.answers(timeout);
    }

    public CliOutcome set(String parameter, String value) {
        return link.send(CliCommand.of("param.set", parameter, value), patience.command());
    }

    public CliOutcome show(String parameter) {
        return link.send(CliCommand.of("param.show", parameter), patience.command());
    }

    /** varnishd's counters, by name. */
    public Map<String, Long> counters() throws IOException, InterruptedException {
        return Counters.read(settings.statCommand(pid()), settings.workdir(), patience.command());
    }

    /** The manager answers, or is at something that we asked for. Never waits. */
    public boolean isResponsive() {
        return process.isAlive() && (link.isConnected() || link.busyWith().isPresent());
    }

    /** What the manager is doing for us. */
    public Optional<String> busyWith() {
        return link.busyWith().map(CliCommand::toString);
    }

    /** The process number of the one that serves, in its own count; none while it is down. */
    public Optional<Long> worker() {
        return worker;
    }

    /** The process that was started. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    private void printed(String line) {
        if (line.contains("Child (") && (line.contains("died") || line.contains("Started"))) {
            nudges.release();
        }
    }

    private void awaitEnd() {
        try {
            int status = process.await();
            link.close();
            nudges.release();
            if (!stopping) {
                owner.exited(status, process.lastWords());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch() {
        try {
            while (!stopping && process.isAlive()) {
                if (nudges.tryAcquire(patience.watch().toMillis(), TimeUnit.MILLISECONDS)) {
                    nudges.drainPermits();
                }
                check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void check() {
        Optional<Long> now = look(patience.command());
        if (stopping || now.isEmpty()) {
            return;
        }
        if (known.isPresent() && !known.equals(now)) {
            LOG.log(Level.WARNING, "the process that serves died; varnishd started another, with an empty cache");
            vcls.restore();
            owner.childRestarted(ghost.reload());
        }
        known = now;
    }

    // Asks for the number of the process that serves, unless the manager is at something else.
    private Optional<Long> look(Duration timeout) {
        CliOutcome outcome = link.trySend(CliCommand.of("pid"), timeout);
        if (!outcome.isDone()) {
            return Optional.empty();
        }
        Optional<Long> now = note(outcome);
        if (now.isEmpty() && vcls.wanted().isPresent() && !stopping) {
            LOG.log(Level.WARNING, "nothing serves; asking varnishd to start it");
            CliOutcome started = link.trySend(CliCommand.of("start"), patience.load());
            LOG.log(Level.DEBUG, "start: {0}", started.words());
        }
        return now;
    }

    // What the manager says of the process that serves; without an answer it is as it was.
    private Optional<Long> note(CliOutcome pid) {
        if (pid.isDone()) {
            Matcher found = WORKER.matcher(pid.words());
            worker = found.find() ? Optional.of(Long.valueOf(found.group(1))) : Optional.empty();
        }
        return worker;
    }

    /** Stops it and everything that it started, and waits for their end. */
    @Override
    public void close() {
        stopping = true;
        nudges.release();
        process.stop(patience.stop());
        link.close();
    }

    @Override
    public String toString() {
        return "varnishd (process " + pid() + ")";
    }
}
