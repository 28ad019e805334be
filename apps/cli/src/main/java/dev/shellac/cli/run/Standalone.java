package dev.shellac.cli.run;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.RunningGateway;
import dev.shellac.cli.folder.Folder;
import dev.shellac.cli.folder.Reading;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.gateway.AddressRequest;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.LastVcl;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The loop: what changed is read, translated and handed to each Gateway; what they report becomes status. For one thread. */
final class Standalone {
    private static final System.Logger LOG = System.getLogger(Standalone.class.getName());
    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final Duration STATUS_WAITS = Duration.ofSeconds(2);

    private final Folder folder;
    private final RunSettings settings;
    private final StateFolder state;
    private final Inbox inbox;
    private final StateFolderWriter writer;
    private final Translator translator = new Translator(Settings.onHost());
    private final Settling settling = new Settling();
    private final Map<Name, GatewayRunner> runners = new TreeMap<>();
    private final Map<Name, Long> goneSince = new HashMap<>();
    private final PortGrace portGrace = new PortGrace();
    private final Map<Name, Integer> seen = new HashMap<>();
    private Optional<Snapshot> served = Optional.empty();
    private Map<Name, DataPlane> reports = Map.of();
    private Optional<Outcome> outcome = Optional.empty();
    private Reading reading;
    private int started;
    private boolean unwritten;
    private Optional<Long> waitingSince = Optional.empty();

    Standalone(Folder folder, RunSettings settings, StateFolder state, Inbox inbox) {
        this.folder = folder;
        this.settings = settings;
        this.state = state;
        this.inbox = inbox;
        this.reading = folder.remembered(state.lastGood());
        this.writer = StateFolderWriter.start(state, new LastGood(folder.root(), state.lastGood()));
    }

    /** Serves until the inbox is closed. */
    void run() throws IOException, InterruptedException {
        try (FolderWatch watch = FolderWatch.start(folder.root(), inbox);
                FolderScan scan = FolderScan.start(folder.root(), inbox, watch)) {
            LOG.log(Level.DEBUG, "watching with {0}", scan);
            Set<Path> changed = Set.of(folder.root());
            while (true) {
                turn(changed);
                Inbox.Mail mail = inbox.await(patience());
                if (mail.closed()) {
                    return;
                }
                settling.changed(mail.changed(), System.nanoTime());
                changed = settling.settled(System.nanoTime());
            }
        } finally {
            close();
        }
    }

    private Duration patience() {
        Duration most = unwritten ? STATUS_WAITS : goneSince.isEmpty() && portGrace.isEmpty() ? IDLE : Settling.ABSENCE;
        Duration due = settling.due(System.nanoTime());
        return due.compareTo(most) < 0 ? due : most;
    }

    private void turn(Set<Path> changed) {
        if (!changed.isEmpty()) {
            // What went while nobody ran is gone.
            reading = outcome.isEmpty()
                    ? folder.read(changed)
                    : folder.read(changed, file -> settling.isGone(file, System.nanoTime()));
            writer.read(changed);
            unwritten = true;
        }
        stopThoseGone(System.nanoTime());
        Snapshot snapshot = LastVcl.standIn(reading.snapshot(), state::userVcl);
        boolean fresh = served.filter(snapshot::equals).isEmpty() || portGrace.isOver(System.nanoTime());
        Map<Name, DataPlane> said = said();
        if (fresh || !said.equals(reports)) {
            reports = said;
            Outcome next = translator.translate(snapshot.reported(reports));
            if (fresh) {
                serve(next, snapshot);
                served = Optional.of(snapshot);
                waitingSince = Optional.of(System.nanoTime());
            }
            outcome = Optional.of(next);
            unwritten = true;
        }
        publish();
    }

    // Status follows what it is about: it is not written while a change is on its way to a varnishd, unless that takes
    // long.
    private void publish() {
        boolean settled = runners.values().stream().allMatch(GatewayRunner::isSettled);
        // Also where nothing was changed: a varnishd that ended may not start again.
        waitingSince = settled ? Optional.empty() : waitingSince.or(() -> Optional.of(System.nanoTime()));
        if (unwritten && outcome.isPresent() && (settled || isLate())) {
            writer.publish(new FolderAnalysis(folder.root(), reading, outcome.get(), Optional.of(running())));
            unwritten = !settled;
        }
    }

    private Map<Name, RunningGateway> running() {
        var running = new TreeMap<Name, RunningGateway>();
        reports.forEach((name, report) -> running.put(
                name,
                new RunningGateway(
                        report, Optional.ofNullable(runners.get(name)).flatMap(GatewayRunner::live))));
        return running;
    }

    private boolean isLate() {
        return waitingSince
                .filter(since -> System.nanoTime() - since > STATUS_WAITS.toNanos())
                .isPresent();
    }

    // A report is about what was served before until the newest was taken.
    private Map<Name, DataPlane> said() {
        boolean late = isLate();
        var said = new TreeMap<Name, DataPlane>();
        runners.forEach((name, runner) -> runner.report()
                .map(report -> late && !runner.isSettled() && report.pending().isEmpty()
                        ? report.waiting("varnishd is still taking the last change")
                        : report)
                .ifPresent(report -> said.put(name, report)));
        return said;
    }

    private void serve(Outcome next, Snapshot snapshot) {
        goneSince.keySet().removeIf(next.plans()::containsKey);
        runners.keySet().stream()
                .filter(gone -> !next.plans().containsKey(gone))
                .forEach(gone -> goneSince.putIfAbsent(gone, System.nanoTime()));
        if (next.plans().isEmpty()) {
            LOG.log(Level.WARNING, "nothing to serve: {0} holds no Gateway of ours that can run", folder.root());
        }
        List<Gateway> gateways = oldestFirst(next, snapshot);
        Map<Name, SortedSet<Port>> ports = portGrace.extend(
                gateways.stream()
                        .map(gateway -> gateway.meta().name())
                        .collect(Collectors.toMap(name -> name, name -> ports(plan(next, name)))),
                System.nanoTime());
        Map<Name, ListenAddresses> listenAddresses = ListenAddresses.assign(gateways.stream()
                .map(gateway -> wish(gateway, ports.getOrDefault(gateway.meta().name(), Collections.emptySortedSet())))
                .toList());
        for (Gateway gateway : gateways) {
            Name name = gateway.meta().name();
            GatewayPlan plan = plan(next, name);
            runners.computeIfAbsent(name, this::runner)
                    .desire(new Desired(
                            plan,
                            snapshot.all(EndpointSlice.class),
                            listenAddresses.getOrDefault(name, new ListenAddresses(List.of(), new TreeMap<>())),
                            unusable(gateway)));
        }
    }

    // A Gateway that is back within a second, as after a checkout, goes on with its cache and its connections.
    private void stopThoseGone(long nanoTime) {
        for (Map.Entry<Name, Long> gone : List.copyOf(goneSince.entrySet())) {
            if (nanoTime - gone.getValue() >= Settling.ABSENCE.toNanos()) {
                LOG.log(Level.INFO, "Gateway {0} is gone: its varnishd stops", gone.getKey());
                goneSince.remove(gone.getKey());
                Optional.ofNullable(runners.remove(gone.getKey())).ifPresent(GatewayRunner::close);
                unwritten = true;
            }
        }
    }

    private static GatewayPlan plan(Outcome outcome, Name name) {
        return Optional.ofNullable(outcome.plans().get(name)).orElseThrow();
    }

    private GatewayRunner runner(Name name) {
        // Short, whatever the Gateway is called: the path of a socket has at most 107 bytes.
        Path place = settings.runtime().resolve("g" + ++started);
        return GatewayRunner.start(name, settings, new GatewayFiles(name, place, state), inbox);
    }

    // By the time that they carry; those without one in the order in which they came, so that a newcomer takes nothing
    // away.
    private List<Gateway> oldestFirst(Outcome next, Snapshot snapshot) {
        var gateways = new ArrayList<>(snapshot.all(Gateway.class).stream()
                .filter(gateway -> next.plans().containsKey(gateway.meta().name()))
                .toList());
        gateways.forEach(gateway -> seen.putIfAbsent(gateway.meta().name(), seen.size()));
        gateways.sort(Comparator.<Gateway, Instant>comparing(
                        gateway -> gateway.meta().created().orElse(Instant.MAX))
                .thenComparing(gateway -> seen.getOrDefault(gateway.meta().name(), 0))
                .thenComparing(Gateway::meta, Metadata.byAge()));
        return gateways;
    }

    private static SortedSet<Port> ports(GatewayPlan plan) {
        return plan.listeners().stream().map(ListenerPlan::port).collect(Collectors.toCollection(TreeSet::new));
    }

    private ListenAddresses.PortRequest wish(Gateway gateway, SortedSet<Port> ports) {
        List<String> addresses = gateway.addresses().stream()
                .filter(address -> address.value()
                        .filter(value -> Hosts.obstacle(address.type(), value).isEmpty())
                        .isPresent())
                .flatMap(address -> address.value().stream())
                .toList();
        boolean asked =
                gateway.addresses().stream().anyMatch(address -> address.value().isPresent());
        return new ListenAddresses.PortRequest(
                gateway.meta().name(),
                asked ? addresses : settings.bind().stream().toList(),
                asked && addresses.isEmpty() ? Collections.emptySortedSet() : ports);
    }

    private static Map<String, String> unusable(Gateway gateway) {
        var unusable = new TreeMap<String, String>();
        for (AddressRequest address : gateway.addresses()) {
            address.value()
                    .ifPresent(
                            value -> Hosts.obstacle(address.type(), value).ifPresent(why -> unusable.put(value, why)));
        }
        return unusable;
    }

    private void close() throws InterruptedException {
        // All at once: each has seconds to stop.
        List<Thread> stopping = runners.values().stream()
                .map(runner -> Thread.ofVirtual().start(runner::close))
                .toList();
        for (Thread thread : stopping) {
            thread.join();
        }
        writer.close();
        state.allEnded();
    }
}
