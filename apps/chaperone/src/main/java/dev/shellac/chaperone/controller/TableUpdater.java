package dev.shellac.chaperone.controller;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.chaperone.kube.JacksonJson;
import dev.shellac.chaperone.kube.PodConfig;
import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.chaperone.kube.Slices;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.varnishconfig.reading.Routing;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import dev.shellac.varnishconfig.reading.RoutingReader;
import dev.shellac.varnishconfig.table.EndpointWait;
import dev.shellac.varnishconfig.table.PodJson;
import dev.shellac.varnishconfig.table.PodTable;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The table of a pod, from routing.json and the endpoints to what the router says of it. What was served stays served until something
 * better is whole.
 */
final class TableUpdater {
    private static final System.Logger LOG = System.getLogger(TableUpdater.class.getName());
    private static final Duration GO_ON = Duration.ofSeconds(1);
    private static final byte[] NO_CHANGES = "{\"version\":2}".getBytes(UTF_8);

    private final PodFiles files;
    private final Meters meters;
    private final Timing timing;
    private final RoutingReader reader = new RoutingReader(new JacksonJson());
    private final PodJson encoder;
    private final EndpointReadiness readiness;
    private final UnlistedNamespaces unlisted = new UnlistedNamespaces();
    private final boolean fromDisk;
    private Optional<RoutingFile.Version> tried = Optional.empty();
    private Optional<String> readFile = Optional.empty();
    private Optional<Read> read = Optional.empty();
    private Optional<Instant> firstRead = Optional.empty();
    private Optional<PodTable> encoded = Optional.empty();
    private Set<Name> served = Set.of();
    private Set<Name> services = Set.of();
    private Optional<Writing> good;
    private boolean published;
    private boolean unfinished;
    private Optional<String> refused = Optional.empty();
    private Map<String, String> faults = Map.of();
    private List<LiveState.Refusal> leftOut = List.of();
    private List<LiveState.Refusal> withoutEndpoints = List.of();
    private Map<String, String> tableFault = Map.of();
    private LiveState.Table state = LiveState.NOTHING.table();
    private Optional<RoutingFile.Version> liveVersion = Optional.empty();
    private Optional<Hashed> hashed = Optional.empty();

    /** Puts a table that was served on the disk again. */
    private interface Writing {
        void run() throws IOException;
    }

    /** A routing.json that could be read. */
    private record Read(RoutingFile.Version version, Routing routing, Set<Name> services) {}

    /** Hashed when it is live: nobody waits for that. */
    private record Hashed(RoutingFile.Version version, String hash) {}

    TableUpdater(PodFiles files, Set<String> sockets, Meters meters, Timing timing) throws IOException {
        this.files = files;
        this.meters = meters;
        this.timing = timing;
        this.encoder = new PodJson(sockets);
        this.readiness = new EndpointReadiness(timing.endpoints());
        this.fromDisk = files.keepTable();
        this.good = fromDisk ? Optional.of(files::restoreTable) : Optional.empty();
    }

    LiveState.Table state() {
        return leftOut.isEmpty() && withoutEndpoints.isEmpty()
                ? state
                : new LiveState.Table(
                        state.hash(),
                        state.hosts(),
                        state.routes(),
                        Stream.of(state.refusals(), leftOut, withoutEndpoints)
                                .flatMap(List::stream)
                                .toList());
    }

    /** The hash of the routing.json that is live. */
    Optional<String> liveRouting() {
        if (!liveVersion.equals(hashed.map(Hashed::version))) {
            hashed = liveVersion.map(version -> new Hashed(version, version.hash()));
        }
        return hashed.map(Hashed::hash);
    }

    Map<String, String> faults() {
        var all = new HashMap<>(faults);
        all.putAll(tableFault);
        return all;
    }

    Optional<PodTable> encoded() {
        return encoded;
    }

    /** Those whose endpoints are needed: for what is to be served, and for what is served until then. The same set as before if there is no other one. */
    Set<Name> services() {
        return services;
    }

    private static Set<Name> all(Set<Name> some, Set<Name> more) {
        if (some.containsAll(more)) {
            return some;
        }
        var all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    /** The router has to be told again. */
    void forget() {
        state = LiveState.NOTHING.table();
    }

    /** Reads a routing.json that is not the last one. */
    void take(PodConfig config, Instant now) {
        Optional<RoutingFile> file = config.routing();
        if (file.isEmpty() || tried.equals(file.map(RoutingFile::version))) {
            return;
        }
        tried = file.map(RoutingFile::version);
        try {
            Routing routing = routing(file.get());
            read = Optional.of(new Read(file.get().version(), routing, routing.services()));
            services = all(read.get().services(), served);
            firstRead = firstRead.or(() -> Optional.of(now));
            var found = new HashMap<String, String>();
            routing.faults().forEach((host, why) -> found.put("routing.json host " + host, why));
            RoutingFile.Rest rest = file.get().rest();
            rest.summary().ifPresent(why -> found.put("routing.json", why));
            leftOut = leftOut(rest, routing);
            faults = found;
        } catch (RoutingFormatException e) {
            LOG.log(Level.WARNING, "routing.json is not taken, what was read before stays: {0}", e.getMessage());
            faults = Map.of("routing.json", String.valueOf(e.getMessage()));
        }
    }

    // Changes may have brought a host that the file was too large for.
    private static List<LiveState.Refusal> leftOut(RoutingFile.Rest rest, Routing routing) {
        Set<String> served =
                routing.hosts().keySet().stream().map(Hostname::value).collect(Collectors.toSet());
        return rest.hosts().stream()
                .filter(host -> !served.contains(host.host()))
                .flatMap(
                        host -> host.routes().stream()
                                .map(
                                        route -> new LiveState.Refusal(
                                                host.host(),
                                                route,
                                                Optional.empty(),
                                                Optional.empty(),
                                                "host " + host.host(),
                                                "host-omitted",
                                                "a pod has no memory for it: raise the memory limit of the Gateway's pods, or use fewer routes")))
                .toList();
    }

    private Routing routing(RoutingFile file) throws RoutingFormatException {
        if (readFile.equals(Optional.of(file.wholeHash()))) {
            return reader.change(
                    file.changes().map(text -> text.getBytes(UTF_8)).orElse(NO_CHANGES));
        }
        Routing whole = reader.read(file.bytes());
        readFile = Optional.of(file.wholeHash());
        return file.changes().isEmpty()
                ? whole
                : reader.change(file.changes().get().getBytes(UTF_8));
    }

    /**
     * Has the router serve what it should.
     *
     * @return when to come again, if nothing else happens before
     */
    Optional<Duration> settle(Varnish varnish, Slices slices, Instant now) throws IOException {
        if (read.isEmpty()) {
            return good.isPresent() && state.hash().isEmpty() ? reload(varnish) : Optional.empty();
        }
        long start = System.nanoTime();
        Duration first = fromDisk ? timing.tableFromDisk() : timing.firstTable();
        Instant deadline = firstRead.orElse(now).plus(first);
        boolean isEarly = !published && now.isBefore(deadline);
        Duration longest = isEarly ? first : timing.endpoints();
        PodTable table = encode(read.get(), slices, now, longest);
        unlisted.look(slices, now);
        boolean waits = isEarly && unlisted.isWorthWaiting(table.waitsFor(), slices, now);
        if (isEarly && !waits && !table.waitsFor().isEmpty()) {
            longest = timing.endpoints();
            table = encode(read.get(), slices, now, longest);
        }
        Optional<Duration> wake = wake(table, longest, now);
        if (waits) {
            if (good.isPresent() && state.hash().isEmpty()) {
                reload(varnish);
            }
            return Optional.of(soonest(wake, Duration.between(now, deadline)));
        }
        String hash = table.table().hash();
        if (refused.equals(Optional.of(hash))) {
            return wake;
        }
        if (state.hash().equals(Optional.of(hash)) && !unfinished) {
            liveVersion = read.map(Read::version);
            return wake;
        }
        published = true;
        files.writeTable(table.table());
        Optional<Duration> again = reload(varnish);
        meters.change.record(Duration.ofNanos(System.nanoTime() - start));
        return again.isPresent() ? Optional.of(soonest(wake, again.get())) : wake;
    }

    private Optional<Duration> wake(PodTable table, Duration longest, Instant now) {
        return Stream.of(
                        readiness.next(table.waitsFor()),
                        table.waitsSince().map(since -> since.plus(longest)),
                        unlisted.next(now))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(at -> Duration.between(now, at));
    }

    private PodTable encode(Read file, Slices slices, Instant now, Duration longest) {
        Predicate<Name> isServed =
                service -> encoded.filter(table -> table.names(service)).isPresent();
        PodTable table = encoder.encode(
                file.routing(), slices.all(), new EndpointWait(readiness.of(slices, isServed, now), now, longest));
        encoded = Optional.of(table);
        served = all(file.services(), table.heldServices());
        services = served;
        withoutEndpoints = CutServices.refusals(file.routing(), slices.leftOut());
        return table;
    }

    private static Duration soonest(Optional<Duration> one, Duration other) {
        return one.filter(time -> time.compareTo(other) < 0).orElse(other);
    }

    // When to come again, if it has to be told again.
    private Optional<Duration> reload(Varnish varnish) throws IOException {
        ReloadAnswer answer = varnish.reload();
        switch (answer) {
            case ReloadAnswer.Live live -> {
                meters.tableReloads.increment();
                live(live);
                unfinished = live.deferred() > 0;
                return unfinished ? Optional.of(GO_ON) : Optional.empty();
            }
            case ReloadAnswer.Rejected rejected -> {
                meters.tableErrors.increment();
                rejected(rejected);
                return Optional.empty();
            }
            case ReloadAnswer.Unreachable unreachable -> {
                LOG.log(Level.INFO, "the table is not live yet: {0}", unreachable.why());
                return Optional.of(timing.retry());
            }
        }
    }

    private void live(ReloadAnswer.Live live) throws IOException {
        List<LiveState.Refusal> refusals =
                live.refusals().stream().map(this::refusal).toList();
        boolean news = !state.hash().equals(live.hash());
        state = new LiveState.Table(live.hash().or(() -> Optional.of("")), live.hosts(), live.routes(), refusals);
        refused = Optional.empty();
        tableFault = Map.of();
        if (encoded.isPresent()
                && live.hash().equals(encoded.map(table -> table.table().hash()))) {
            liveVersion = read.map(Read::version);
            // Made when it is wanted: tables share what they have in common, and copies of the whole do not.
            good = encoded.map(table -> () -> files.writeTable(table.table()));
        }
        if (news) {
            LOG.log(
                    Level.INFO,
                    "table {0} is live: {1} routes, {2} refused, {3} ms",
                    live.hash().orElse("without a hash"),
                    String.valueOf(live.routes()),
                    String.valueOf(live.refused()),
                    String.valueOf(live.took().toMillis()));
        }
    }

    // The file is the next start's, so it goes back to what is served.
    private void rejected(ReloadAnswer.Rejected rejected) throws IOException {
        LOG.log(Level.WARNING, "table refused, the one before stays: {0}: {1}", rejected.field(), rejected.error());
        refused = encoded.map(table -> table.table().hash());
        tableFault = Map.of("ghost.json " + rejected.field(), rejected.error());
        if (good.isPresent()) {
            good.get().run();
        }
        state = new LiveState.Table(
                rejected.hash().or(() -> state.hash()), state.hosts(), rejected.routes(), state.refusals());
    }

    // The router counts routes of a host; people know rules of an HTTPRoute.
    private LiveState.Refusal refusal(ReloadAnswer.Refusal refusal) {
        var route = refusal.position()
                .flatMap(position -> encoded.flatMap(table -> table.route(refusal.vhost(), position)));
        return new LiveState.Refusal(
                refusal.vhost(),
                refusal.route(),
                route.map(found -> found.rule()),
                route.map(found -> found.match()),
                refusal.field(),
                refusal.effect(),
                refusal.message());
    }
}
