package dev.shellac.translate.plan;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.FrontendTls;
import java.util.List;
import java.util.Optional;

/**
 * A listener that serves.
 *
 * @param owner the Gateway or ListenerSet that it is written in
 * @param certificates Secrets, of HTTPS alone
 */
public record ListenerPlan(
        String key,
        ResourceId owner,
        String name,
        Hostname hostname,
        Port port,
        String protocol,
        List<ResourceId> certificates,
        Optional<ClientPlan> clients) {
    /** Which client certificates are asked for. */
    public record ClientPlan(List<ResourceId> authorities, FrontendTls.Mode mode) {
        public ClientPlan {
            authorities = List.copyOf(authorities);
        }
    }

    public ListenerPlan {
        certificates = List.copyOf(certificates);
    }
}
