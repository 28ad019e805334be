package dev.shellac.operator.loop;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.watch.ServedKind;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.DataPlane;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.shared.Change;
import dev.shellac.model.shared.SharedMap;
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
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One turn after the other: whatever arrived becomes a snapshot, the snapshot an outcome; configuration is written at once, everything else is handed to
 * those who write it. What arrives during a turn is one turn together. For one thread.
 */
public final class Loop {
    private static final Duration IDLE = Duration.ofMinutes(1);
    /** What children are made of, besides the Gateway and its plan. */
    private static final List<Class<? extends Resource>> FURNITURE =
            List.of(GatewayClass.class, GatewayClassParameters.class, SecretObject.class);

    private final Ports ports;
    private final GatewayObjects objects;
    private final Settings settings;
    private Translator translator;
    private final Desk.Office office;
    private final Map<Name, Desk> desks = new TreeMap<>();
    private Snapshot snapshot = Snapshot.empty();
    /** As it was when a turn last came to its end. */
    private Snapshot turned = Snapshot.empty();

    private SharedMap<Name, DataPlane> reports = SharedMap.empty();
    private Definitions definitions = Definitions.NONE;
    private Definitions announced = Definitions.NONE;
    private Outcome outcome = Outcome.EMPTY;
    private Moment said = Moment.NONE;
    private Set<Name> references = Set.of();
    private long oldest;

    public Loop(Ports ports, GatewayObjects objects, Settings settings) {
        this.ports = ports;
        this.objects = objects;
        this.settings = settings;
        this.translator = new Translator(settings);
        this.office = new Desk.Office(ports.cluster(), ports.courier(), ports.configuration());
    }

    /** How long until something is due though nothing arrives. */
    public Duration patience(Instant now) {
        Instant due = now.plus(IDLE);
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            due = sooner(due, entry.getValue().retryAt(), now);
            due = sooner(due, entry.getValue().saveAt(), now);
            due = sooner(due, entry.getValue().tidyAt(), now);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, entry.getKey());
            if (gateway.isPresent() && isWaitingForAddress(gateway.get())) {
                Map<String, Instant> asked =
                        entry.getValue().asked(new HashSet<>(DataPlanes.asked(gateway.get())), now);
                for (Instant since : asked.values()) {
                    due = sooner(due, Optional.of(since.plus(DataPlanes.GRANTED_WITHIN)), now);
                }
            }
        }
        Duration left = Duration.between(now, due);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private boolean isWaitingForAddress(Gateway gateway) {
        DataPlane report = reports.get(gateway.meta().name());
        return !DataPlanes.asked(gateway).isEmpty()
                && (report == null
                        || report.addresses().size()
                                        + report.unusableAddresses().size()
                                < DataPlanes.asked(gateway).size());
    }

    private static Instant sooner(Instant due, Optional<Instant> other, Instant now) {
        return other.filter(time -> time.isBefore(due))
                .map(time -> time.isBefore(now) ? now : time)
                .orElse(due);
    }

    /** One turn. */
    public void turn(Inbox.Batch first, Instant now) throws InterruptedException {
        Snapshot before = turned;
        oldest = first.oldest();
        var touched = new Touched();
        take(first, touched);
        if (References.mayDiffer(before, snapshot)) {
            Set<Name> named = References.of(snapshot);
            if (!named.equals(references)) {
                references = named;
                take(ports.read(named), touched);
            }
        }
        since(before, touched, now);
        report(touched.reporting, now);
        Outcome next = translate();
        SharedMap.of(next.plans())
                .changesSince(SharedMap.of(outcome.plans()))
                .forEach(change -> touched.writing.add(change.key()));
        write(next, touched.writing, now);
        if (report(touched.writing, now)) {
            next = translate();
        }
        children(next, touched);
        Moment moment = new Moment(snapshot, next.statuses(), definitions);
        Wishes.between(said, moment, settings.controllerName()).forEach(ports::status);
        guard(before);
        outcome = next;
        said = moment;
        turned = snapshot;
    }

    /** Writes what pods were told and what no write has taken yet; for the end. */
    public void flush(Instant now) throws InterruptedException {
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            Optional<Gateway> gateway = snapshot.find(Gateway.class, entry.getKey());
            if (gateway.isPresent() && entry.getValue().isUnwritten()) {
                long generation = gateway.get().meta().generation();
                entry.getValue().flush(office, new Desk.Occasion(key(entry.getKey()), generation, now, oldest));
            }
        }
    }

    /** After a turn that failed: the next one finds all that arrived so far, and all of it new, as after a start. */
    public void again() {
        translator = new Translator(settings);
        desks.clear();
        turned = Snapshot.empty();
        reports = SharedMap.empty();
        outcome = Outcome.EMPTY;
        said = Moment.NONE;
        references = Set.of();
    }

    /** The Gateways that something is to be done about. */
    private static final class Touched {
        private final Set<Name> reporting = new TreeSet<>();
        private final Set<Name> writing = new TreeSet<>();
        private final Set<Name> furnishing = new TreeSet<>();
    }

    private void take(Inbox.Batch batch, Touched touched) {
        for (Map.Entry<Inbox.Key, Optional<Resource>> entry : batch.objects().entrySet()) {
            Inbox.Key key = entry.getKey();
            snapshot = entry.getValue()
                    .map(arrived -> snapshot.with(LastRead.of(arrived, snapshot)))
                    .orElseGet(() -> snapshot.without(key.kind(), key.name()));
        }
        definitions = batch.definitions().orElse(definitions);
        if (!definitions.equals(announced)) {
            ports.defined(definitions);
            announced = definitions;
        }
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            if (batch.fleet().contains(key(entry.getKey()))) {
                touched.reporting.add(entry.getKey());
            }
            for (ObjectKey drifted : batch.drifted()) {
                if (entry.getValue().isTouched(drifted, ports.version(drifted))) {
                    touched.writing.add(entry.getKey());
                }
            }
        }
    }

    private void since(Snapshot before, Touched touched, Instant now) {
        for (Change<Name, Gateway> change : snapshot.changesSince(before, Gateway.class)) {
            touched.reporting.add(change.key());
            // A status of ours comes back as a change too.
            if (!change.before().map(Gateway::meta).equals(change.after().map(Gateway::meta))) {
                touched.writing.add(change.key());
            }
        }
        for (Map.Entry<Name, Desk> entry : desks.entrySet()) {
            if (entry.getValue().isDue(now)) {
                touched.writing.add(entry.getKey());
            }
            if (snapshot.find(Gateway.class, entry.getKey())
                    .filter(this::isWaitingForAddress)
                    .isPresent()) {
                touched.reporting.add(entry.getKey());
            }
        }
        if (FURNITURE.stream()
                .anyMatch(kind -> !snapshot.changesSince(before, kind).isEmpty())) {
            snapshot.all(Gateway.class).forEach(gateway -> {
                touched.reporting.add(gateway.meta().name());
                touched.furnishing.add(gateway.meta().name());
            });
        }
    }

    private boolean report(Set<Name> concerned, Instant now) {
        SharedMap<Name, DataPlane> next = reports;
        for (Name name : concerned) {
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name).filter(this::isOurs);
            if (gateway.isEmpty()) {
                next = next.without(name);
                continue;
            }
            Desk desk = desks.computeIfAbsent(name, key -> new Desk());
            DataPlanes.View view = view(gateway.get(), desk, now);
            view.states().values().forEach(state -> {
                desk.served(state.live()).forEach(ports::propagated);
                state.complaints().forEach(words -> ports.tell(note(gateway.get(), "Warning", "NotTaken", words)));
            });
            DataPlane report = DataPlanes.of(view, desk.generations());
            next = report.equals(next.get(name)) ? next : next.with(name, report);
        }
        boolean changed = !next.changesSince(reports).isEmpty();
        reports = next;
        return changed;
    }

    private DataPlanes.View view(Gateway gateway, Desk desk, Instant now) {
        Fleet.Parts parts = ports.fleet(key(gateway.meta().name()));
        Set<String> fronts = objects.fronts(gateway);
        return new DataPlanes.View(
                gateway,
                parts.pods(),
                parts.states(),
                parts.fronts().stream()
                        .filter(front -> fronts.contains(front.name().name()))
                        .toList(),
                certificates(gateway, parts),
                desk.asked(new LinkedHashSet<>(DataPlanes.asked(gateway)), now),
                ports.obstacles(key(gateway.meta().name())),
                now);
    }

    // Asked for only where a pod has left one out, since states come often.
    private Map<String, Name> certificates(Gateway gateway, Fleet.Parts parts) {
        GatewayPlan plan = outcome.plans().get(gateway.meta().name());
        return plan == null
                        || parts.states().values().stream()
                                .allMatch(state -> state.leftOut().isEmpty())
                ? Map.of()
                : objects.certificates(plan);
    }

    private boolean isOurs(Gateway gateway) {
        return gateway.meta().deleted().isEmpty()
                && snapshot.find(GatewayClass.class, new Name("", gateway.className()))
                        .filter(found -> found.controllerName().equals(settings.controllerName()))
                        .isPresent();
    }

    private Fleet.Key key(Name gateway) {
        return new Fleet.Key(gateway.namespace(), objects.label(gateway));
    }

    private Outcome translate() {
        long start = System.nanoTime();
        snapshot = snapshot.reported(reports);
        Outcome next = translator.translate(snapshot);
        ports.translated(Duration.ofNanos(System.nanoTime() - start), translator.lastWork());
        return next;
    }

    /** Writes the configuration of Gateways whose plan changed, or whose last writing failed. */
    private void write(Outcome next, Set<Name> due, Instant now) throws InterruptedException {
        for (Name name : due) {
            GatewayPlan plan = next.plans().get(name);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name);
            if (plan == null || gateway.isEmpty()) {
                if (gateway.filter(this::isOurs).isEmpty() && desks.remove(name) != null) {
                    objects.forget(name);
                }
                Optional.ofNullable(desks.get(name)).ifPresent(Desk::rest);
                continue;
            }
            Desk desk = desks.computeIfAbsent(name, key -> new Desk());
            var brief = new GatewayObjects.Brief(gateway.get(), plan, snapshot);
            if (attempt(desk, brief, () -> want(desk, brief, now))) {
                desk.write(
                        office,
                        new Desk.Occasion(key(name), gateway.get().meta().generation(), now, oldest));
            }
        }
    }

    private void want(Desk desk, GatewayObjects.Brief brief, Instant now) {
        GatewayObjects.Content content = objects.content(brief, desk.form(now));
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
        var due = new TreeSet<>(touched.writing);
        due.addAll(touched.furnishing);
        for (Name name : due) {
            GatewayPlan plan = next.plans().get(name);
            Optional<Gateway> gateway = snapshot.find(Gateway.class, name);
            if (plan != null && gateway.isPresent()) {
                Desk desk = desks.computeIfAbsent(name, key -> new Desk());
                var brief = new GatewayObjects.Brief(gateway.get(), plan, snapshot);
                String uid = gateway.get().meta().uid();
                attempt(desk, brief, () -> ports.children(key(name), uid, objects.children(brief), desk.keys()));
            } else if (gateway.isEmpty() || isSomebodyElses(gateway.get())) {
                ports.noChildren(
                        key(name), gateway.map(found -> found.meta().uid()).orElse(""));
            }
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

    // A class that is not there says nothing: what serves goes on serving.
    private boolean isSomebodyElses(Gateway gateway) {
        return snapshot.find(GatewayClass.class, new Name("", gateway.className()))
                .filter(found -> !found.controllerName().equals(settings.controllerName()))
                .isPresent();
    }

    private void guard(Snapshot before) {
        if (snapshot.changesSince(before, Gateway.class).isEmpty()
                && snapshot.changesSince(before, GatewayClass.class).isEmpty()) {
            return;
        }
        ports.classes(ClassUse.of(snapshot, definitions, settings.controllerName()));
    }

    public Snapshot snapshot() {
        return snapshot;
    }

    public Outcome outcome() {
        return outcome;
    }
}
