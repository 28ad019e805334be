package dev.shellac.cli.run;

import dev.shellac.cli.analysis.RunningGateway;
import dev.shellac.cli.run.ListenAddresses.ListenAddress;
import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.Effect;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.model.status.Address;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.Origin;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.GhostTable;
import dev.shellac.varnishconfig.table.SocketMap;
import dev.shellac.varnishd.ListenSocket;
import dev.shellac.varnishd.Varnishd;
import dev.shellac.varnishd.VarnishdOwner;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One Gateway's varnishd. A changed set of ports starts it anew, changed VCL is loaded, everything else is a reload of ghost's table,
 * and nothing at all if the table is the same. For one thread.
 */
final class GatewayServing implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(GatewayServing.class.getName());
    private static final Duration LINGERING = Duration.ofSeconds(2);

    private final Name gateway;
    private final RunSettings settings;
    private final GatewayFiles files;
    private final VarnishdOwner owner;
    private final GhostJson encoder = new GhostJson();
    private final VclChange vcl;
    private Optional<Varnishd> varnishd = Optional.empty();
    private List<ListenAddress> opened = List.of();
    private Use proxyProtocol = Use.OFF;
    private String written = "";
    private Optional<ReloadAnswer> answered = Optional.empty();
    /** Of the table that varnishd has: the last one, or one before that. */
    private Optional<GatewayPlan> live = Optional.empty();

    GatewayServing(Name gateway, RunSettings settings, GatewayFiles files, VarnishdOwner owner) {
        this.gateway = gateway;
        this.settings = settings;
        this.files = files;
        this.owner = owner;
        this.vcl = new VclChange(files);
    }

    /**
     * What it comes to.
     *
     * @param again whether to try again before long although nothing changed
     */
    record Result(RunningGateway running, boolean again) {}

    Result serve(Desired desired) throws IOException {
        var closed = new TreeMap<Port, String>(desired.listenAddresses().taken());
        List<ListenAddress> listenAddresses = free(desired.listenAddresses().open(), closed);
        if (listenAddresses.isEmpty()) {
            stop();
            return new Result(
                    report(desired, closed, Optional.empty()),
                    !desired.listenAddresses().open().isEmpty());
        }
        GhostTable table = encoder.encode(desired.plan(), desired.slices(), sockets(listenAddresses));
        boolean changed = !table.hash().equals(written);
        if (changed) {
            files.writeTable(table.bytes());
            written = table.hash();
        }
        Clients clients = desired.plan().clients().orElse(Clients.USUAL);
        boolean started = start(listenAddresses, clients.proxyProtocol());
        Optional<String> fault =
                vcl.use(varnishd.orElseThrow(), clients, desired.plan().userVcl());
        if (vcl.isLive() && (changed || started || isUnfinished())) {
            ReloadAnswer answer = varnishd.orElseThrow().reload();
            answered = Optional.of(answer);
            say(answer, desired);
        }
        if (answered.orElse(null) instanceof ReloadAnswer.Live) {
            live = Optional.of(desired.plan());
        }
        boolean again =
                listenAddresses.size() < desired.listenAddresses().open().size()
                        || !vcl.isLive()
                        || !vcl.isSettled()
                        || answered.orElse(null) instanceof ReloadAnswer.Unreachable
                        || (answered.orElse(null) instanceof ReloadAnswer.Live answer && answer.deferred() > 0);
        return new Result(report(desired, closed, fault), again);
    }

    // Ghost goes on with patterns that it deferred, but reports what becomes of them only when it is asked.
    private boolean isUnfinished() {
        return !(answered.orElse(null) instanceof ReloadAnswer.Live taken) || taken.deferred() > 0;
    }

    /** What ghost said when it loaded its table by itself. */
    void reloaded(ReloadAnswer answer) {
        answered = Optional.of(answer);
        if (!(answer instanceof ReloadAnswer.Live)) {
            live = Optional.empty(); // a process that was just started had no table before
        }
    }

    // Those that are open already, and those of the others that nobody has.
    private List<ListenAddress> free(List<ListenAddress> wanted, SortedMap<Port, String> closed) {
        boolean running = varnishd.filter(Varnishd::isAlive).isPresent();
        var free = new ArrayList<ListenAddress>();
        for (ListenAddress listenAddress : wanted) {
            Optional<String> obstacle =
                    running && opened.contains(listenAddress) ? Optional.empty() : obstacle(listenAddress);
            if (obstacle.isEmpty()) {
                free.add(listenAddress);
            } else {
                closed.put(listenAddress.port(), obstacle.get());
            }
        }
        return free;
    }

    // A varnishd that was killed has its ports for a moment longer than its process.
    private Optional<String> obstacle(ListenAddress listenAddress) {
        Optional<String> obstacle = PortHolder.obstacle(
                listenAddress.address(), listenAddress.port().value());
        if (!opened.contains(listenAddress)) {
            return obstacle;
        }
        long deadline = System.nanoTime() + LINGERING.toNanos();
        while (obstacle.isPresent() && System.nanoTime() < deadline) {
            try {
                Thread.sleep(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return obstacle;
            }
            obstacle = PortHolder.obstacle(
                    listenAddress.address(), listenAddress.port().value());
        }
        return obstacle;
    }

    private static Map<String, ListenAddress> named(List<ListenAddress> listenAddresses) {
        var named = new LinkedHashMap<String, ListenAddress>();
        for (ListenAddress listenAddress : listenAddresses) {
            String name = "http-" + listenAddress.port();
            for (int i = 2; named.containsKey(name); i++) {
                name = "http-" + listenAddress.port() + "-" + i;
            }
            named.put(name, listenAddress);
        }
        return named;
    }

    private static SocketMap sockets(List<ListenAddress> listenAddresses) {
        return SocketMap.of(named(listenAddresses).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        listenAddress -> Set.of(listenAddress.getValue().port()))));
    }

    private boolean start(List<ListenAddress> listenAddresses, Use proxy) throws IOException {
        if (varnishd.filter(Varnishd::isAlive).isPresent()) {
            if (listenAddresses.equals(opened) && proxy == proxyProtocol) {
                return false;
            }
            LOG.log(
                    Level.INFO,
                    "Gateway {0}: its ports change from {1} to {2}: varnishd starts anew, its cache is lost",
                    gateway,
                    listens(opened, proxyProtocol),
                    listens(listenAddresses, proxy));
        }
        stop();
        List<ListenSocket> sockets = named(listenAddresses).entrySet().stream()
                .map(listenAddress -> socket(listenAddress.getKey(), listenAddress.getValue(), proxy))
                .toList();
        opened = listenAddresses;
        proxyProtocol = proxy;
        varnishd = Optional.of(Varnishd.start(
                settings.varnishd(files.folder(), sockets), RunSettings.patience(), owner, InstantSource.system()));
        files.started(varnishd.get().pid());
        vcl.forget();
        LOG.log(Level.INFO, "Gateway {0}: varnishd starts, for {1}", gateway, listens(listenAddresses, proxy));
        return true;
    }

    private static ListenSocket socket(String name, ListenAddress listenAddress, Use proxy) {
        return proxy == Use.ON
                ? new ListenSocket(name, listenAddress.listen(), "PROXY")
                : ListenSocket.http(name, listenAddress.listen());
    }

    private static String listens(List<ListenAddress> listenAddresses, Use proxy) {
        return listenAddresses.stream()
                        .map(listenAddress -> listenAddress.address().isPresent()
                                ? listenAddress.listen()
                                : "port " + listenAddress.port())
                        .collect(Collectors.joining(", "))
                + (proxy == Use.ON ? " with PROXY protocol" : "");
    }

    private void say(ReloadAnswer answer, Desired desired) {
        switch (answer) {
            case ReloadAnswer.Live live -> {
                LOG.log(
                        Level.INFO,
                        "Gateway {0}: {1} routes of {2} hosts live in {3} ms",
                        gateway,
                        String.valueOf(live.routes()),
                        String.valueOf(live.hosts()),
                        String.valueOf(live.took().toMillis()));
                // The others are in the status of their route, and in the log of what is wrong.
                live.refusals().stream()
                        .filter(refusal -> origin(desired.plan(), refusal).isEmpty())
                        .forEach(refusal -> LOG.log(
                                Level.WARNING,
                                "Gateway {0}: ghost refuses {1}: {2}: {3}",
                                gateway,
                                refusal.route().isEmpty() ? refusal.vhost() : "HTTPRoute " + refusal.route(),
                                refusal.field(),
                                refusal.message()));
            }
            case ReloadAnswer.Rejected rejected ->
                LOG.log(
                        Level.ERROR,
                        "Gateway {0}: ghost refuses the whole table and keeps the one before: {1}: {2}",
                        gateway,
                        rejected.field(),
                        rejected.error());
            case ReloadAnswer.Unreachable unreachable ->
                LOG.log(Level.WARNING, "Gateway {0}: {1}", desired.plan().gateway(), unreachable.why());
        }
    }

    private RunningGateway report(Desired desired, SortedMap<Port, String> closed, Optional<String> vclFault) {
        boolean isRefused = vcl.isSettled();
        Optional<GatewayPlan> served =
                live.filter(plan -> varnishd.filter(Varnishd::isAlive).isPresent());
        return new RunningGateway(
                new DataPlane(
                        served.isPresent() ? addresses() : List.of(),
                        desired.unusable(),
                        closed,
                        refusals(desired.plan()),
                        vclFault.filter(why -> isRefused),
                        vclFault.filter(why -> !isRefused).or(() -> answered.flatMap(GatewayServing::pending))),
                served);
    }

    private static Optional<String> pending(ReloadAnswer answer) {
        return switch (answer) {
            case ReloadAnswer.Live taken -> Optional.empty();
            case ReloadAnswer.Rejected rejected ->
                Optional.of("the router refuses the table: " + rejected.field() + ": " + rejected.error());
            case ReloadAnswer.Unreachable unreachable ->
                Optional.of("the router has not taken the last table yet: " + unreachable.why());
        };
    }

    private List<Address> addresses() {
        List<String> bound = opened.stream()
                .flatMap(listenAddress -> listenAddress.address().stream())
                .distinct()
                .toList();
        return (bound.isEmpty() ? Hosts.ownAddresses() : bound)
                .stream().map(address -> new Address("IPAddress", address)).toList();
    }

    private List<TableRefusal> refusals(GatewayPlan plan) {
        if (!(answered.orElse(null) instanceof ReloadAnswer.Live live)) {
            return List.of();
        }
        return live.refusals().stream()
                .flatMap(refusal -> origin(plan, refusal)
                        .map(origin -> new TableRefusal(
                                origin.route(),
                                Optional.of(refusal.vhost()),
                                origin.rule(),
                                origin.match(),
                                Effect.of(refusal.effect()),
                                refusal.field() + ": " + refusal.message()))
                        .stream())
                .toList();
    }

    // Ghost counts the routes of a host in the order of its table, which is that of the plan.
    private static Optional<Origin> origin(GatewayPlan plan, ReloadAnswer.Refusal refusal) {
        return plan.hosts().stream()
                .filter(host -> host.hostname().value().equals(refusal.vhost()))
                .map(HostPlan::routes)
                .filter(routes ->
                        refusal.position().filter(at -> at < routes.size()).isPresent())
                .map(routes -> routes.get(refusal.position().orElseThrow()).origin())
                .findFirst();
    }

    private void stop() {
        varnishd.ifPresent(Varnishd::close);
        varnishd = Optional.empty();
        answered = Optional.empty();
        live = Optional.empty();
    }

    @Override
    public void close() {
        stop();
    }

    Path folder() {
        return files.folder();
    }
}
