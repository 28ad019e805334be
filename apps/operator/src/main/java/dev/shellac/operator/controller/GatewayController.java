package dev.shellac.operator.controller;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.watch.ServedKind;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.DataPlane;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.operator.pods.DataPlanes;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.EventRecorder.Entry;
import dev.shellac.operator.write.OwnedObjectCache;
import dev.shellac.operator.write.StatusDiff;
import dev.shellac.operator.write.StatusDiff.StatusInputs;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.resolve.LastVcl;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One turn after the other: whatever arrived becomes a snapshot, the snapshot an outcome; configuration is written at once, everything else is handed to
 * those who write it. What arrives during a turn is one turn together. For one thread.
 */
public final class GatewayController {
    private final Ports ports;
    private final GatewayRenderer renderer;
    private final Settings settings;
    private Translator translator;
    private final GatewayConfigWriter.Context writeContext;
    private final PlaneViews views;
    private final Map<Name, GatewayConfigWriter> configWriters = new TreeMap<>();
    /** Gateways some of whose pods are of an earlier release. */
    private final Set<Name> moving = new TreeSet<>();

    private Snapshot snapshot = Snapshot.empty();
    private PersistentMap<Name, DataPlane> reports = PersistentMap.empty();
    private Definitions definitions = Definitions.NONE;
    private Definitions announced = Definitions.NONE;
    private Outcome outcome = Outcome.EMPTY;
    private StatusInputs lastStatus = StatusInputs.NONE;
    private final Arrivals arrivals;
    private long oldest;
    private volatile long movedAt = System.nanoTime();
    /** As it was when a turn last came to its end. */
    private Snapshot reconciled = Snapshot.empty();

    public GatewayController(Ports ports, GatewayRenderer renderer, Settings settings) {
        this.ports = ports;
        this.renderer = renderer;
        this.settings = settings;
        this.views = new PlaneViews(ports, renderer);
        this.translator = new Translator(settings);
        this.arrivals = new Arrivals(ports.reader(), settings.controllerName());
        this.writeContext =
                new GatewayConfigWriter.Context(ports.kube(), ports.pusher(), ports.configuration(), ports.writer());
    }

    /** How long until something is due though nothing arrives. */
    public Duration patience(Instant now) {
        var due = new DueTime(now);
        due.at(arrivals.due());
        for (Map.Entry<Name, GatewayConfigWriter> entry : configWriters.entrySet()) {
            due.of(entry.getValue());
            snapshot.find(Gateway.class, entry.getKey())
                    .filter(this::isWaitingForAddress)
                    .ifPresent(gateway -> due.ofAddresses(gateway, entry.getValue()));
        }
        return due.left();
    }

    private boolean isWaitingForAddress(Gateway gateway) {
        return DataPlanes.isWaitingForAddress(
                gateway, Optional.ofNullable(reports.get(gateway.meta().name())));
    }

    public void reconcile(Inbox.Batch first, Instant now) {
        Snapshot before = reconciled;
        oldest = first.oldest();
        var dirty = new DirtyGateways();
        take(first, dirty, now);
        ports.gateways(snapshot);
        since(before, dirty, now);
        PersistentMap<Name, DataPlane> known = reports;
        report(dirty.reporting, now);
        dirty.refused(known, reports);
        Outcome next = translate();
        PersistentMap.of(next.plans())
                .changesSince(PersistentMap.of(outcome.plans()))
                .forEach(change -> dirty.writing.add(change.key()));
        certify(next, dirty, now);
        write(next, dirty.writing, now);
        if (report(dirty.writing, now)) {
            next = translate();
        }
        children(next, dirty);
        StatusInputs inputs = new StatusInputs(snapshot, next.statuses(), definitions).without(beingWritten());
        StatusDiff.between(lastStatus, inputs, settings.controllerName()).forEach(ports::status);
        guard(before);
        outcome = next;
        lastStatus = inputs;
        reconciled = snapshot;
    }

    /** Has written what pods were told and what no write has taken yet, for the end; true while it is being written. */
    public boolean flush(Instant now) {
        boolean writing = false;
        for (Map.Entry<Name, GatewayConfigWriter> entry : configWriters.entrySet()) {
            GatewayConfigWriter configWriter = entry.getValue();
            configWriter.settle(now);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, entry.getKey());
            if (gateway.isPresent() && configWriter.isUnwritten()) {
                long generation = gateway.get().meta().generation();
                configWriter.flush(
                        writeContext,
                        new GatewayConfigWriter.WriteRequest(key(entry.getKey()), generation, now, oldest));
            }
            writing |= configWriter.isWriting();
        }
        return writing;
    }

    /** After a turn that failed: the next one finds all that arrived so far, and all of it new, as after a start. */
    public void reset() {
        translator = new Translator(settings);
        configWriters.clear();
        reconciled = Snapshot.empty();
        reports = PersistentMap.empty();
        outcome = Outcome.EMPTY;
        lastStatus = StatusInputs.NONE;
    }

    // A new process says nothing of a Gateway before it has tried to write its configuration.
    private Set<Name> beingWritten() {
        return configWriters.entrySet().stream()
                .filter(entry -> entry.getValue().isFirstWrite())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Takes in what arrived without a turn; true when nothing of it waits for what it names. For the start. */
    public boolean gather(Inbox.Batch batch, Instant now) {
        take(batch, new DirtyGateways(), now);
        return arrivals.isEmpty();
    }

    private void take(Inbox.Batch batch, DirtyGateways dirty, Instant now) {
        Set<Name> policies = outcome.statuses().backendTlsPolicies().keySet();
        snapshot = arrivals.into(snapshot, batch.objects(), policies, now);
        snapshot = arrivals.withUnreadable(batch.unreadable().values(), snapshot);
        batch.unreadable().values().forEach(form -> ports.record(LastValid.event(form)));
        definitions = batch.definitions().orElse(definitions);
        if (!definitions.equals(announced)) {
            ports.defined(definitions);
            announced = definitions;
        }
        for (Map.Entry<Name, GatewayConfigWriter> entry : configWriters.entrySet()) {
            if (batch.pods().contains(key(entry.getKey()))) {
                dirty.reporting.add(entry.getKey());
                settle(entry.getKey(), entry.getValue(), dirty, now);
                if (moving.contains(entry.getKey())) {
                    dirty.applying.add(entry.getKey());
                }
            }
            for (ObjectKey drifted : batch.drifted()) {
                if (entry.getValue().isTouched(drifted, ports.version(drifted), now)) {
                    dirty.writing.add(entry.getKey());
                }
            }
        }
    }

    private void settle(Name name, GatewayConfigWriter configWriter, DirtyGateways dirty, Instant now) {
        for (ObjectKey object : configWriter.settle(now)) {
            if (configWriter.isTouched(object, ports.version(object), now)) {
                dirty.writing.add(name);
            }
        }
        if (configWriter.takeDeferredChildren()) {
            dirty.deferred.add(name);
        }
    }

    private void since(Snapshot before, DirtyGateways dirty, Instant now) {
        dirty.since(before, snapshot);
        for (Map.Entry<Name, GatewayConfigWriter> entry : configWriters.entrySet()) {
            if (entry.getValue().isDue(now)) {
                dirty.writing.add(entry.getKey());
            }
            if (entry.getValue().certificates().hasExpired(now)
                    || snapshot.find(Gateway.class, entry.getKey())
                            .filter(this::isWaitingForAddress)
                            .isPresent()) {
                dirty.reporting.add(entry.getKey());
            }
        }
    }

    private boolean report(Set<Name> concerned, Instant now) {
        PersistentMap<Name, DataPlane> next = reports;
        for (Name name : concerned) {
            movedAt = System.nanoTime();
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name).filter(this::isOurs);
            if (gateway.isEmpty()) {
                next = next.without(name);
                continue;
            }
            GatewayConfigWriter configWriter = configWriters.computeIfAbsent(name, key -> new GatewayConfigWriter());
            DataPlanes.View view = views.of(
                    gateway.get(),
                    configWriter,
                    Optional.ofNullable(outcome.plans().get(name)),
                    now);
            view.states().values().forEach(state -> {
                configWriter.served(state.live()).forEach(ports::propagated);
                renderer.userVcl(name, state.live().vcl()).ifPresent(ports.userVcls()::inEffect);
                state.complaints().forEach(words -> ports.record(event(gateway.get(), "Warning", "NotTaken", words)));
            });
            DataPlane report = DataPlanes.of(view, configWriter.generations());
            next = report.equals(next.get(name)) ? next : next.with(name, report);
        }
        boolean changed = !next.changesSince(reports).isEmpty();
        reports = next;
        return changed;
    }

    private boolean isOurs(Gateway gateway) {
        return gateway.meta().deleted().isEmpty() && ClassUse.isOurs(gateway, snapshot, settings.controllerName());
    }

    private PodRegistry.Key key(Name gateway) {
        return new PodRegistry.Key(gateway.namespace(), renderer.label(gateway));
    }

    private Outcome translate() {
        long start = System.nanoTime();
        snapshot = snapshot.reported(reports);
        Outcome next = translator.translate(LastVcl.standIn(snapshot, ports.userVcls()));
        movedAt = System.nanoTime();
        ports.translated(Duration.ofNanos(System.nanoTime() - start), translator.lastWork());
        return next;
    }

    /** Writes the configuration of Gateways whose plan changed, or whose last writing failed. */
    private void write(Outcome next, Set<Name> due, Instant now) {
        for (Name name : due) {
            movedAt = System.nanoTime();
            GatewayPlan plan = next.plans().get(name);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name);
            if (plan == null || gateway.isEmpty()) {
                if (gateway.filter(this::isOurs).isEmpty() && configWriters.remove(name) != null) {
                    renderer.forget(name);
                }
                Optional.ofNullable(configWriters.get(name))
                        .ifPresent(configWriter -> stand(configWriter, name, gateway));
                continue;
            }
            GatewayConfigWriter configWriter = configWriters.computeIfAbsent(name, key -> new GatewayConfigWriter());
            var input = new GatewayRenderer.Input(gateway.get(), plan, snapshot);
            if (attempt(configWriter, input, () -> want(configWriter, input, now))) {
                configWriter.write(
                        writeContext,
                        new GatewayConfigWriter.WriteRequest(
                                key(name), gateway.get().meta().generation(), now, oldest));
            } else {
                configWriter.sign(writeContext, key(name), renderer.noChanges(gateway.get()));
            }
        }
    }

    // What was written stays.
    private void stand(GatewayConfigWriter configWriter, Name name, Optional<Gateway> gateway) {
        configWriter.rest();
        gateway.ifPresent(found -> configWriter.sign(writeContext, key(name), renderer.noChanges(found)));
    }

    private void want(GatewayConfigWriter configWriter, GatewayRenderer.Input input, Instant now) {
        GatewayRenderer.Rendered rendered = renderer.render(input, ports.userVcls(), configWriter.form(now));
        rendered.restart().ifPresent(why -> ports.record(event(input.gateway(), "Normal", "PodsRestart", why)));
        configWriter.want(rendered);
    }

    // What somebody wrote that no object can be made of; what was there stays.
    private boolean attempt(GatewayConfigWriter configWriter, GatewayRenderer.Input input, Runnable making) {
        Gateway gateway = input.gateway();
        try {
            making.run();
            return true;
        } catch (IllegalArgumentException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            configWriter.failed(why);
            ports.record(event(gateway, "Warning", "Invalid", why));
            return false;
        }
    }

    private Entry event(Gateway gateway, String type, String reason, String words) {
        String version =
                definitions.find(GroupKind.GATEWAY).map(ServedKind::apiVersion).orElse("");
        return new Entry(gateway.id(), version, gateway.meta().uid(), type, reason, words);
    }

    private void children(Outcome next, DirtyGateways dirty) {
        for (Name name : dirty.withChildren()) {
            movedAt = System.nanoTime();
            Optional<GatewayRenderer.Input> input = input(next, name);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name);
            if (input.isPresent()) {
                GatewayConfigWriter configWriter =
                        configWriters.computeIfAbsent(name, key -> new GatewayConfigWriter());
                if (configWriter.isWriting() && !dirty.deferred.contains(name)) {
                    configWriter.deferChildren();
                    continue;
                }
                attempt(configWriter, input.get(), () -> applyChildren(input.get(), configWriter));
            } else if (gateway.isEmpty() || ClassUse.isForeign(gateway.get(), snapshot, settings.controllerName())) {
                ports.noChildren(
                        key(name), gateway.map(found -> found.meta().uid()).orElse(""));
            }
        }
    }

    private Optional<GatewayRenderer.Input> input(Outcome next, Name name) {
        Optional<GatewayPlan> plan = Optional.ofNullable(next.plans().get(name));
        return snapshot.find(Gateway.class, name)
                .flatMap(gateway -> plan.map(found -> new GatewayRenderer.Input(gateway, found, snapshot)));
    }

    private void applyChildren(GatewayRenderer.Input input, GatewayConfigWriter configWriter) {
        Gateway gateway = input.gateway();
        Name name = gateway.meta().name();
        Optional<ObjectKey> former = views.formerSecret(gateway);
        moving.remove(name);
        former.ifPresent(key -> moving.add(name));
        var others = new HashSet<>(configWriter.keys());
        former.ifPresent(others::add);
        ports.children(key(name), gateway.meta().uid(), renderer.children(input, former), others);
    }

    /** Says which certificates pods are to have, before it is said what they lack. */
    private void certify(Outcome next, DirtyGateways dirty, Instant now) {
        for (Name name : dirty.withChildren()) {
            input(next, name)
                    .ifPresent(input -> configWriters
                            .computeIfAbsent(name, key -> new GatewayConfigWriter())
                            .certificates()
                            .want(renderer.certificates(input), now));
        }
    }

    /** Objects of ours whose Gateway went while nobody looked. What those have that are there was decided in the turn. */
    public void sweep(Map<ObjectKey, OwnedObjectCache.Observed> ownedObjects) {
        var kept = new HashSet<PodRegistry.Key>();
        snapshot.all(Gateway.class)
                .forEach(gateway -> kept.add(key(gateway.meta().name())));
        ownedObjects.values().stream()
                .map(OwnedObjectCache.Observed::gateway)
                .distinct()
                .filter(gateway -> !kept.contains(gateway))
                .forEach(gateway -> ports.noChildren(gateway, ""));
    }

    private void guard(Snapshot before) {
        if (snapshot.changesSince(before, Gateway.class).isEmpty()
                && snapshot.changesSince(before, GatewayClass.class).isEmpty()) {
            return;
        }
        ports.classes(ClassUse.of(snapshot, definitions, settings.controllerName()));
    }

    /** When a turn last came a step further, in nanoseconds of the process. */
    public long movedAt() {
        return movedAt;
    }

    public Snapshot snapshot() {
        return snapshot;
    }

    public Outcome outcome() {
        return outcome;
    }
}
