package dev.shellac.operator;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.Reading;
import dev.shellac.translate.Outcome;
import java.util.ArrayList;
import java.util.Optional;

/** Counts for the metrics what each outcome holds, at the cost of what changed. */
final class OutcomeMetrics {
    private final OperatorMetrics metrics;
    private Outcome last = Outcome.EMPTY;
    private int refused;

    OutcomeMetrics(OperatorMetrics metrics) {
        this.metrics = metrics;
    }

    void update(Outcome outcome) {
        for (Change<Name, RouteStatus> change : PersistentMap.of(
                        outcome.statuses().httpRoutes())
                .changesSince(PersistentMap.of(last.statuses().httpRoutes()))) {
            refused += (isRefused(change.after()) ? 1 : 0) - (isRefused(change.before()) ? 1 : 0);
        }
        metrics.holds(
                outcome.statuses().gateways().size(),
                outcome.statuses().httpRoutes().size(),
                refused);
        if (!PersistentMap.of(outcome.statuses().gateways())
                .changesSince(PersistentMap.of(last.statuses().gateways()))
                .isEmpty()) {
            gateways(outcome);
        }
        last = outcome;
    }

    private static boolean isRefused(Optional<RouteStatus> status) {
        return status.stream()
                .flatMap(found -> found.parents().stream())
                .flatMap(parent -> parent.conditions().conditions().stream())
                .anyMatch(condition -> condition.type().equals("PartiallyInvalid")
                        ? condition.holds()
                        : condition.state() == Condition.State.FALSE);
    }

    private void gateways(Outcome outcome) {
        var programmed = new ArrayList<Reading>();
        var attached = new ArrayList<Reading>();
        outcome.statuses().gateways().forEach((name, status) -> {
            boolean serves = status.conditions()
                    .find("Programmed")
                    .filter(Condition::holds)
                    .isPresent();
            programmed.add(new Reading(name.namespace(), name.name(), serves ? 1 : 0));
            attached.add(new Reading(
                    name.namespace(),
                    name.name(),
                    status.listeners().stream()
                            .mapToInt(ListenerStatus::attachedRoutes)
                            .sum()));
        });
        metrics.gateways(programmed, attached);
    }
}
