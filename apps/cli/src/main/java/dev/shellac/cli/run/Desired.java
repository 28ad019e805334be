package dev.shellac.cli.run;

import dev.shellac.model.core.EndpointSlice;
import dev.shellac.translate.plan.GatewayPlan;
import java.util.Collection;
import java.util.Map;

/**
 * What one Gateway shall serve, and where.
 *
 * @param unusable addresses that were asked for and that this host does not have, and why
 */
record Desired(
        GatewayPlan plan,
        Collection<EndpointSlice> slices,
        ListenAddresses listenAddresses,
        Map<String, String> unusable) {}
