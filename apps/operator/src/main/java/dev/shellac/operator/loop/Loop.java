package dev.shellac.operator.loop;

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
import dev.shellac.operator.fleet.DataPlanes;
import dev.shellac.operator.fleet.Fleet;
import dev.shellac.operator.write.EventDesk.Note;
import dev.shellac.operator.write.Owned;
import dev.shellac.operator.write.Wishes;
import dev.shellac.operator.write.Wishes.Moment;
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
public final class Loop {
    private final Ports ports;
    private final GatewayObjects objects;
    private final Settings settings;
    private Translator translator;
    private final Desk.Office office;
    private final PlaneViews views;
    private final Map<Name, Desk> desks = new TreeMap<>();
    /** Gateways some of whose pods are of an earlier release. */
    private final Set<Name> moving = new TreeSet<>();

    private Snapshot snapshot = Snapshot.empty();
    private PersistentMap<Name, DataPlane> reports = PersistentMap.empty();
    private Definitions definitions = Definitions.NONE;
    private Definitions announced = Definitions.NONE;
    private Outcome outcome = Outcome.EMPTY;
    private Moment said = Moment.NONE;
    private final Arrivals arrivals;
    private long oldest;
    private volatile long movedAt = System.nanoTime();
    /** As it was when a turn last came to its end. */
    private Snapshot turned = Snapshot.empty();

    public Loop(Ports ports, GatewayObjects objects, Settings settings) {
        this.ports = ports;
        this.objects = objects;
        this.settings = settings;
        this.views = new PlaneViews(ports, objects);
        this.translator = new Translator(settings);
        this.arrivals = new Arrivals(ports.reader(), settings.controllerName());
        this.office = new Desk.Office(ports.kube(), ports.courier(), ports.configuration(), ports.writer());
    }

    /** How long until something is due though nothing arrives. */
    public Duration patience(Instant now) {
        var due = new DueTime(now);
        due.at(arrivals.due());
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
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

    public void turn(Inbox.Batch first, Instant now) {
        Snapshot before = turned;
        oldest = first.oldest();
        var touched = new Touched();
        take(first, touched, now);
        ports.gateways(snapshot);
        since(before, touched, now);
        PersistentMap<Name, DataPlane> known = reports;
        report(touched.reporting, now);
        touched.refused(known, reports);
        Outcome next = translate();
        PersistentMap.of(next.plans())
                .changesSince(PersistentMap.of(outcome.plans()))
                .forEach(change -> touched.writing.add(change.key()));
        certify(next, touched, now);
        write(next, touched.writing, now);
        if (report(touched.writing, now)) {
            next = translate();
        }
        children(next, touched);
        Moment moment = new Moment(snapshot, next.statuses(), definitions).without(beingWritten());
        Wishes.between(said, moment, settings.controllerName()).forEach(ports::status);
        guard(before);
        outcome = next;
        said = moment;
        turned = snapshot;
    }

    /** Has written what pods were told and what no write has taken yet, for the end; true while it is being written. */
    public boolean flush(Instant now) {
        boolean writing = false;
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            Desk desk = entry.getValue();
            desk.settle(now);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, entry.getKey());
            if (gateway.isPresent() && desk.isUnwritten()) {
                long generation = gateway.get().meta().generation();
                desk.flush(office, new Desk.Occasion(key(entry.getKey()), generation, now, oldest));
            }
            writing |= desk.isWriting();
        }
        return writing;
    }

    /** After a turn that failed: the next one finds all that arrived so far, and all of it new, as after a start. */
    public void again() {
        translator = new Translator(settings);
        desks.clear();
        turned = Snapshot.empty();
        reports = PersistentMap.empty();
        outcome = Outcome.EMPTY;
        said = Moment.NONE;
    }

    // A new process says nothing of a Gateway before it has tried to write its configuration.
    private Set<Name> beingWritten() {
        return desks.entrySet().stream()
                .filter(entry -> entry.getValue().isFirstWrite())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Takes in what arrived without a turn; true when nothing of it waits for what it names. For the start. */
    public boolean gather(Inbox.Batch batch, Instant now) {
        take(batch, new Touched(), now);
        return arrivals.isEmpty();
    }

    private void take(Inbox.Batch batch, Touched touched, Instant now) {
        Set<Name> policies = outcome.statuses().backendTlsPolicies().keySet();
        snapshot = arrivals.into(snapshot, batch.objects(), policies, now);
        snapshot = arrivals.withUnreadable(batch.unreadable().values(), snapshot);
        batch.unreadable().values().forEach(form -> ports.tell(LastRead.note(form)));
        definitions = batch.definitions().orElse(definitions);
        if (!definitions.equals(announced)) {
            ports.defined(definitions);
            announced = definitions;
        }
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            if (batch.fleet().contains(key(entry.getKey()))) {
                touched.reporting.add(entry.getKey());
                settle(entry.getKey(), entry.getValue(), touched, now);
                if (moving.contains(entry.getKey())) {
                    touched.furnishing.add(entry.getKey());
                }
            }
            for (ObjectKey drifted : batch.drifted()) {
                if (entry.getValue().isTouched(drifted, ports.version(drifted), now)) {
                    touched.writing.add(entry.getKey());
                }
            }
        }
    }

    private void settle(Name name, Desk desk, Touched touched, Instant now) {
        for (ObjectKey object : desk.settle(now)) {
            if (desk.isTouched(object, ports.version(object), now)) {
                touched.writing.add(name);
            }
        }
        if (desk.paysChildren()) {
            touched.owing.add(name);
        }
    }

    private void since(Snapshot before, Touched touched, Instant now) {
        touched.since(before, snapshot);
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            if (entry.getValue().isDue(now)) {
                touched.writing.add(entry.getKey());
            }
            if (entry.getValue().certificates().hasExpired(now)
                    || snapshot.find(Gateway.class, entry.getKey())
                            .filter(this::isWaitingForAddress)
                            .isPresent()) {
                touched.reporting.add(entry.getKey());
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
            Desk desk = desks.computeIfAbsent(name, key -> new Desk());
            DataPlanes.View view = views.of(
                    gateway.get(), desk, Optional.ofNullable(outcome.plans().get(name)), now);
            view.states().values().forEach(state -> {
                desk.served(state.live()).forEach(ports::propagated);
                objects.userVcl(name, state.live().vcl()).ifPresent(ports.userVcls()::inEffect);
                state.complaints().forEach(words -> ports.tell(note(gateway.get(), "Warning", "NotTaken", words)));
            });
            DataPlane report = DataPlanes.of(view, desk.generations());
            next = report.equals(next.get(name)) ? next : next.with(name, report);
        }
        boolean changed = !next.changesSince(reports).isEmpty();
        reports = next;
        return changed;
    }

    private boolean isOurs(Gateway gateway) {
        return gateway.meta().deleted().isEmpty() && ClassUse.isOurs(gateway, snapshot, settings.controllerName());
    }

    private Fleet.Key key(Name gateway) {
        return new Fleet.Key(gateway.namespace(), objects.label(gateway));
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
                if (gateway.filter(this::isOurs).isEmpty() && desks.remove(name) != null) {
                    objects.forget(name);
                }
                Optional.ofNullable(desks.get(name)).ifPresent(desk -> stand(desk, name, gateway));
                continue;
            }
            Desk desk = desks.computeIfAbsent(name, key -> new Desk());
            var brief = new GatewayObjects.Brief(gateway.get(), plan, snapshot);
            if (attempt(desk, brief, () -> want(desk, brief, now))) {
                desk.write(
                        office,
                        new Desk.Occasion(key(name), gateway.get().meta().generation(), now, oldest));
            } else {
                desk.sign(office, key(name), objects.noChanges(gateway.get()));
            }
        }
    }

    // What was written stays.
    private void stand(Desk desk, Name name, Optional<Gateway> gateway) {
        desk.rest();
        gateway.ifPresent(found -> desk.sign(office, key(name), objects.noChanges(found)));
    }

    private void want(Desk desk, GatewayObjects.Brief brief, Instant now) {
        GatewayObjects.Content content = objects.content(brief, ports.userVcls(), desk.form(now));
        content.restart().ifPresent(why -> ports.tell(note(brief.gateway(), "Normal", "PodsRestart", why)));
        desk.want(content);
    }

    // What somebody wrote that no object can be made of; what was there stays.
    private boolean attempt(Desk desk, GatewayObjects.Brief brief, Runnable making) {
        Gateway gateway = brief.gateway();
        try {
            making.run();
            return true;
        } catch (IllegalArgumentException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            desk.failed(why);
            ports.tell(note(gateway, "Warning", "Invalid", why));
            return false;
        }
    }

    private Note note(Gateway gateway, String type, String reason, String words) {
        String version =
                definitions.find(GroupKind.GATEWAY).map(ServedKind::apiVersion).orElse("");
        return new Note(gateway.id(), version, gateway.meta().uid(), type, reason, words);
    }

    private void children(Outcome next, Touched touched) {
        for (Name name : touched.withChildren()) {
            movedAt = System.nanoTime();
            Optional<GatewayObjects.Brief> brief = brief(next, name);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name);
            if (brief.isPresent()) {
                Desk desk = desks.computeIfAbsent(name, key -> new Desk());
                if (desk.isWriting() && !touched.owing.contains(name)) {
                    desk.oweChildren();
                    continue;
                }
                attempt(desk, brief.get(), () -> furnish(brief.get(), desk));
            } else if (gateway.isEmpty() || ClassUse.isForeign(gateway.get(), snapshot, settings.controllerName())) {
                ports.noChildren(
                        key(name), gateway.map(found -> found.meta().uid()).orElse(""));
            }
        }
    }

    private Optional<GatewayObjects.Brief> brief(Outcome next, Name name) {
        Optional<GatewayPlan> plan = Optional.ofNullable(next.plans().get(name));
        return snapshot.find(Gateway.class, name)
                .flatMap(gateway -> plan.map(found -> new GatewayObjects.Brief(gateway, found, snapshot)));
    }

    private void furnish(GatewayObjects.Brief brief, Desk desk) {
        Gateway gateway = brief.gateway();
        Name name = gateway.meta().name();
        Optional<ObjectKey> former = views.formerSecret(gateway);
        moving.remove(name);
        former.ifPresent(key -> moving.add(name));
        var others = new HashSet<>(desk.keys());
        former.ifPresent(others::add);
        ports.children(key(name), gateway.meta().uid(), objects.children(brief, former), others);
    }

    /** Says which certificates pods are to have, before it is said what they lack. */
    private void certify(Outcome next, Touched touched, Instant now) {
        for (Name name : touched.withChildren()) {
            brief(next, name)
                    .ifPresent(brief -> desks.computeIfAbsent(name, key -> new Desk())
                            .certificates()
                            .want(objects.certificates(brief), now));
        }
    }

    /** Objects of ours whose Gateway went while nobody looked. What those have that are there was decided in the turn. */
    public void sweep(Map<ObjectKey, Owned.Standing> owned) {
        var kept = new HashSet<Fleet.Key>();
        snapshot.all(Gateway.class)
                .forEach(gateway -> kept.add(key(gateway.meta().name())));
        owned.values().stream()
                .map(Owned.Standing::gateway)
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
