package dev.shellac.operator.children;

import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.resolve.MemoryBudget;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Options;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Peers;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Protocols;
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
    private static final long CONNECTION = 50 * 1024;
    private static final long EDGE_ALONE = 16L << 20;

    public Configuration {
        others = Collections.unmodifiableMap(new TreeMap<>(others));
    }

    /** The VCL of a plan with a user's part, or why it cannot be part of one. */
    public static MainVcl vcl(GatewayPlan plan, Optional<UserVcl> user) {
        return MainVcl.merge(PodEnvironment.TABLE, plan.clients().orElse(Clients.USUAL), user);
    }

    /** What HAProxy is told; nothing where no listener has TLS. */
    public static Map<String, String> edge(GatewayPlan plan, Sockets sockets, Optional<Long> memoryLimit) {
        return HaproxyConfig.encode(plan, sockets.edgeSlots(), options(plan, memoryLimit))
                .map(text -> Map.of(EDGE, text))
                .orElse(Map.of());
    }

    private static Options options(GatewayPlan plan, Optional<Long> memoryLimit) {
        Clients clients = plan.clients().orElse(Clients.USUAL);
        return new Options(
                clients.http2() == Use.ON ? Protocols.HTTP_1_AND_2 : Protocols.HTTP_1,
                clients.proxyProtocol() == Use.ON ? Peers.PROXY_PROTOCOL : Peers.CLIENTS,
                clients.proxyProtocolFrom(),
                memoryLimit.isPresent()
                        ? (int) ((MemoryBudget.of(memoryLimit).edge() - EDGE_ALONE) / CONNECTION)
                        : Options.USUAL.connections(),
                Options.USUAL.threads());
    }
}
