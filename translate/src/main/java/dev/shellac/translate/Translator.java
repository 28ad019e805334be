package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RouteTask;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Translates one snapshot after another. The outcome is that of the snapshot alone. What came out of the last one is kept, and
 * only what the difference between the two is about is decided anew: the change of one route costs the same among a hundred
 * and among thousands. Not for use by several threads at once.
 */
public final class Translator {
    private record Memory(World world, Ledger ledger, Outcome outcome) {}

    private Memory last;
    private int compiled;
    private Work work = new Work(0, 0, 0);

    public Translator(Settings settings) {
        this.last = new Memory(World.empty(settings), Ledger.EMPTY, Outcome.EMPTY);
    }

    public Outcome translate(Snapshot snapshot) {
        Step step = Step.of(last.world(), snapshot);
        Set<Name> concerned = step.routes(last.ledger());
        var edit = new LedgerEdit(last.ledger());
        compiled = 0;
        for (Name name : concerned) {
            Optional<JudgedRoute> before = last.ledger().find(name);
            edit.replace(
                    name,
                    snapshot.find(HttpRoute.class, name)
                            .filter(route -> route.meta().deleted().isEmpty())
                            .map(route -> judge(step.now(), route, before)));
        }
        Ledger ledger = edit.ledger();
        Outcome outcome = new Judgement(step, ledger, edit, last.outcome()).outcome();
        last = new Memory(step.now(), ledger, outcome);
        work = new Work(concerned.size(), compiled, edit.changedHosts());
        return outcome;
    }

    /** What the last translation did, for tests and benchmarks. */
    public Work lastWork() {
        return work;
    }

    /** What a translation could not take over from the one before. */
    public record Work(int judgedRoutes, int compiledRoutes, int changedHosts) {}

    private JudgedRoute judge(World now, HttpRoute route, Optional<JudgedRoute> before) {
        List<Attachment> attached = now.attach(route);
        RouteTask task = now.task(route, attached);
        CompiledRoute result = before.filter(last -> last.task().equals(task))
                .map(JudgedRoute::compiled)
                .orElseGet(() -> compile(task));
        return new JudgedRoute(route, attached, task, result, now.status(route, attached, result));
    }

    private CompiledRoute compile(RouteTask task) {
        compiled++;
        return RouteCompiler.compile(task);
    }
}
