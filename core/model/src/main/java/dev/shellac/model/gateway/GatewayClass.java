package dev.shellac.model.gateway;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Resource;
import dev.shellac.model.status.GatewayClassStatus;
import java.util.Optional;

/** A GatewayClass: which controller, with which parameters. */
public record GatewayClass(
        Metadata meta, String controllerName, Optional<ObjectRef> parameters, GatewayClassStatus status)
        implements Resource {
    @Override
    public GroupKind type() {
        return GroupKind.GATEWAY_CLASS;
    }
}
