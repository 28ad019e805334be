package dev.shellac.cli.analysis;

import dev.shellac.model.DataPlane;
import dev.shellac.translate.plan.GatewayPlan;
import java.util.Optional;

/**
 * A Gateway of a run.
 *
 * @param report what its varnishd reports
 * @param live the newest plan that its varnishd took, which may be older than the folder; nothing before the first
 */
public record RunningGateway(DataPlane report, Optional<GatewayPlan> live) {
    /** Whether requests are answered, also where a change is pending. */
    boolean isServing() {
        return !report.addresses().isEmpty() && live.isPresent();
    }
}
