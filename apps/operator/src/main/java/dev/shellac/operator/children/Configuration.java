package dev.shellac.operator.children;

import dev.shellac.model.policy.ConnectionLimits;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.resolve.EdgeMemory;
import dev.shellac.translate.resolve.MemoryBudget;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Bounds;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Options;
import dev.shellac.varnishconfig.vcl.MainVcl;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What pods are given to serve.
 *
 * @param mainVcl nothing where there is none that can be used: pods keep what they have
 * @param routing the text of routing.json
 * @param others more files of the same ConfigMap, such as haproxy.cfg
 */
public record Configuration(Optional<String> mainVcl, String routing, Map<String, String> others) {
    private static final String EDGE = "haproxy.cfg";
    private static final int CLIENTS_SHARE = 4;

    public Configuration {
        others = Collections.unmodifiableMap(new TreeMap<>(others));
    }

    /** The VCL of a plan with a user's part, or why it cannot be part of one. */
    public static MainVcl vcl(GatewayPlan plan, Optional<UserVcl> user) {
        return MainVcl.merge(PodEnvironment.TABLE, plan.clients().orElse(Clients.USUAL), user);
    }

    /** What HAProxy is told; nothing where no listener has TLS. */
    public static Map<String, String> edge(GatewayPlan plan, ListenerPorts ports, Optional<Long> memoryLimit) {
        return HaproxyConfig.encode(plan, ports.edgeSlots(), options(plan, memoryLimit))
                .map(text -> Map.of(EDGE, text))
                .orElse(Map.of());
    }

    private static Options options(GatewayPlan plan, Optional<Long> memoryLimit) {
        Clients clients = plan.clients().orElse(Clients.USUAL);
        return Options.of(clients).with(bounds(plan, memoryLimit, clients));
    }

    private static Bounds bounds(GatewayPlan plan, Optional<Long> memoryLimit, Clients clients) {
        ConnectionLimits limits = clients.connections();
        MemoryBudget budget =
                MemoryBudget.of(memoryLimit).withEdge(EdgeMemory.of(limits).all());
        int certificates = (int) plan.listeners().stream()
                .flatMap(listener -> listener.certificates().stream())
                .distinct()
                .count();
        int connections = EdgeMemory.connections(budget, limits, certificates).orElse(Bounds.USUAL.connections());
        return new Bounds(
                connections,
                perClient(limits, connections),
                limits.threads(),
                limits.timeouts(),
                memoryLimit.map(limit -> budget.edge()));
    }

    // Where no address is that of a client, those of many come from one.
    private static Optional<Integer> perClient(ConnectionLimits limits, int connections) {
        return limits.addresses() == Use.ON
                ? limits.perClient().or(() -> Optional.of(connections / CLIENTS_SHARE))
                : Optional.empty();
    }
}
