package dev.shellac.translate.status;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.Map;
import java.util.Set;

/** The status of every object that we have a word on, whole: with the entries and conditions of others. */
public record Statuses(
        Map<Name, GatewayClassStatus> gatewayClasses,
        Map<Name, GatewayStatus> gateways,
        Map<Name, ListenerSetStatus> listenerSets,
        Map<Name, RouteStatus> httpRoutes,
        Map<Name, PolicyStatus> backendTlsPolicies,
        Map<Name, PolicyStatus> cachePolicies,
        Map<Name, CacheInvalidationStatus> cacheInvalidations) {
    /** The types of conditions that are ours, where others write beside us. */
    public static final Set<String> OWN_CONDITIONS = Conditions.OURS;

    public static final Statuses EMPTY =
            new Statuses(Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

    public Statuses {
        gatewayClasses = PersistentMap.of(gatewayClasses);
        gateways = PersistentMap.of(gateways);
        listenerSets = PersistentMap.of(listenerSets);
        httpRoutes = PersistentMap.of(httpRoutes);
        backendTlsPolicies = PersistentMap.of(backendTlsPolicies);
        cachePolicies = PersistentMap.of(cachePolicies);
        cacheInvalidations = PersistentMap.of(cacheInvalidations);
    }
}
