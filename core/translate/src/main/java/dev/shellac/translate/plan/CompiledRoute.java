package dev.shellac.translate.plan;

import dev.shellac.model.Copies;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A route, ready to be put into the plans of its Gateways.
 *
 * @param refusal why nothing of it can be served
 * @param partial what part of it cannot be served
 * @param refs the first of its references that leads nowhere
 * @param plans by Gateway and hostname; nothing where it is refused
 */
public record CompiledRoute(
        Optional<Refusal> refusal,
        Optional<Refusal> partial,
        Optional<Refusal> refs,
        Map<Name, Map<Hostname, List<RoutePlan>>> plans) {
    public CompiledRoute {
        plans = Copies.of(plans);
    }
}
