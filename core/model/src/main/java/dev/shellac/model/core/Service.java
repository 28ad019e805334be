package dev.shellac.model.core;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Port;
import dev.shellac.model.Resource;
import java.util.List;
import java.util.Optional;

/** A Service: which of its ports lead where. */
public record Service(Metadata meta, Type serviceType, List<ServicePort> ports) implements Resource {
    /** How a Service is meant to be reached. Endpoints exist for all but the last. */
    public enum Type {
        CLUSTER_IP,
        NODE_PORT,
        LOAD_BALANCER,
        EXTERNAL_NAME
    }

    /** One port. */
    public record ServicePort(
            Optional<String> name, Port port, TargetPort target, String protocol, Optional<String> appProtocol) {}

    public Service {
        ports = List.copyOf(ports);
    }

    @Override
    public GroupKind type() {
        return GroupKind.SERVICE;
    }

    public Optional<ServicePort> port(Port port) {
        return ports.stream().filter(candidate -> candidate.port().equals(port)).findFirst();
    }
}
