package dev.shellac.translate.status;

import dev.shellac.model.Copies;
import dev.shellac.model.Name;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.Map;

/** The status of every object that we have a word on, whole: with the entries and conditions of others. */
public record Statuses(
        Map<Name, GatewayClassStatus> gatewayClasses,
        Map<Name, GatewayStatus> gateways,
        Map<Name, ListenerSetStatus> listenerSets,
        Map<Name, RouteStatus> httpRoutes,
        Map<Name, PolicyStatus> backendTlsPolicies,
        Map<Name, PolicyStatus> cachePolicies) {
    public Statuses {
        gatewayClasses = Copies.of(gatewayClasses);
        gateways = Copies.of(gateways);
        listenerSets = Copies.of(listenerSets);
        httpRoutes = Copies.of(httpRoutes);
        backendTlsPolicies = Copies.of(backendTlsPolicies);
        cachePolicies = Copies.of(cachePolicies);
    }
}
