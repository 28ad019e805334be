package dev.shellac.translate.plan;

import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.translate.resolve.UserVcl;
import java.util.List;
import java.util.Optional;

/**
 * Everything that one Gateway shall do. Hosts are in order of specificity.
 *
 * @param clients how they come in, where somebody said so
 */
public record GatewayPlan(
        Name gateway,
        List<ListenerPlan> listeners,
        PersistentList<HostPlan> hosts,
        Optional<ResourceId> clientCertificate,
        Optional<UserVcl> userVcl,
        Optional<Clients> clients) {
    public GatewayPlan {
        listeners = List.copyOf(listeners);
    }
}
