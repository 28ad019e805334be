package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.status.Statuses;
import java.util.Map;

/** The result of a translation: a plan for each Gateway that can run, and a status for each object that is ours to judge. */
public record Outcome(Map<Name, GatewayPlan> plans, Statuses statuses) {
    /** Of a snapshot in which nothing is ours. */
    public static final Outcome EMPTY = new Outcome(PersistentMap.empty(), Statuses.EMPTY);

    public Outcome {
        plans = PersistentMap.of(plans);
    }
}
