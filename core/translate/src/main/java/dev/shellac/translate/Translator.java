package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RouteSize;
import dev.shellac.translate.plan.RouteTask;
import dev.shellac.translate.plan.TableBudget;
import dev.shellac.translate.resolve.MemoryBudget;
import dev.shellac.translate.resolve.Parameters;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Translates one snapshot after another. The outcome is that of the snapshot alone. What came out of the last one is kept, and
 * only what the difference between the two is about is decided anew: the change of one route costs the same among a hundred
 * and among thousands. Not for use by several threads at once.
 */
public final class Translator {
    // A process on a host has the memory of the host. What is added to it must not overflow.
    private static final long BOUNDLESS = Long.MAX_VALUE / 4;

    private record Memory(TranslationContext context, RouteIndex index, Outcome outcome) {}

    private Memory last;
    private int compiled;
    private Work work = new Work(0, 0, 0);

    public Translator(Settings settings) {
        this(settings, settings.isInPods() ? Translator::budget : Translator::boundless);
    }

    /** With other tables than those of real pods, for tests. */
    Translator(Settings settings, TranslationContext.TableBudgets budgets) {
        this.last = new Memory(TranslationContext.empty(settings, budgets), RouteIndex.EMPTY, Outcome.EMPTY);
    }

    private static TableBudget budget(Snapshot snapshot, Gateway gateway) {
        Optional<Long> limit =
                Parameters.of(snapshot).of(gateway).flatMap(found -> found.pod().memoryLimit());
        return new TableBudget(
                gateway.meta().name().namespace(), MemoryBudget.of(limit).routing());
    }

    private static TableBudget boundless(Snapshot snapshot, Gateway gateway) {
        return new TableBudget(gateway.meta().name().namespace(), BOUNDLESS);
    }

    public Outcome translate(Snapshot snapshot) {
        SnapshotDelta delta = SnapshotDelta.of(last.context(), snapshot);
        Set<Name> concerned = delta.routes(last.index());
        var edit = new RouteIndexEdit(last.index());
        var room = new TableRoomEdit(delta, last.index().room());
        compiled = 0;
        var measured = new TreeMap<Name, MeasuredRoute>();
        for (Name name : concerned) {
            Optional<TranslatedRoute> before = last.index().find(name);
            Optional<MeasuredRoute> now = snapshot.find(HttpRoute.class, name)
                    .filter(route -> route.meta().deleted().isEmpty())
                    .map(route -> measure(delta.now(), route, before));
            now.ifPresent(found -> measured.put(name, found));
            room.replace(before, now);
        }
        for (Name name : room.settle()) {
            last.index()
                    .find(name)
                    .filter(before -> concerned.add(name))
                    .ifPresent(before -> measured.put(name, measure(delta.now(), before.route(), Optional.of(before))));
        }
        for (Name name : concerned) {
            edit.replace(
                    name,
                    Optional.ofNullable(measured.get(name))
                            .map(found -> translateRoute(
                                    delta.now(),
                                    found,
                                    room.admitted(found),
                                    last.index().find(name))));
        }
        RouteIndex index = edit.build(room.room());
        Outcome outcome = new OutcomeBuilder(delta, index, edit, last.outcome()).build();
        last = new Memory(delta.now(), index, outcome);
        work = new Work(concerned.size(), compiled, edit.changedHosts());
        return outcome;
    }

    /** What the last translation did, for tests and benchmarks. */
    public Work lastWork() {
        return work;
    }

    /** What a translation could not take over from the one before. */
    public record Work(int translatedRoutes, int compiledRoutes, int changedHosts) {}

    private static MeasuredRoute measure(TranslationContext now, HttpRoute route, Optional<TranslatedRoute> before) {
        List<Attachment> attached = now.attach(route);
        RouteTask task = now.task(route, attached);
        PersistentMap<Name, Long> sizes = before.filter(last -> last.task().equals(task)
                        && last.sizes().keySet().equals(task.placements().keySet()))
                .map(TranslatedRoute::sizes)
                .orElseGet(() -> PersistentMap.of(RouteSize.of(task)));
        return new MeasuredRoute(route, attached, task, sizes);
    }

    private TranslatedRoute translateRoute(
            TranslationContext now,
            MeasuredRoute measured,
            List<Attachment> attached,
            Optional<TranslatedRoute> before) {
        HttpRoute route = measured.route();
        RouteTask task = attached.equals(measured.attachments()) ? measured.task() : now.task(route, attached);
        CompiledRoute result = before.filter(last -> last.task().equals(task))
                .map(TranslatedRoute::compiled)
                .orElseGet(() -> compile(task));
        return new TranslatedRoute(
                route, attached, task, measured.sizes(), result, now.status(route, attached, result));
    }

    private CompiledRoute compile(RouteTask task) {
        compiled++;
        return RouteCompiler.compile(task);
    }
}
