package dev.shellac.model.core;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Port;
import dev.shellac.model.Resource;
import java.util.List;
import java.util.Optional;

/**
 * Some of the endpoints of a Service.
 *
 * @param service the Service that it belongs to, from its label; a slice without one belongs to none
 */
public record EndpointSlice(
        Metadata meta, Optional<String> service, String addressType, List<Endpoint> endpoints, List<EndpointPort> ports)
        implements Resource {
    /** One endpoint of a pod, or whatever else is behind the Service. */
    public record Endpoint(List<String> addresses, Readiness readiness) {
        public Endpoint {
            addresses = List.copyOf(addresses);
        }
    }

    /** Whether an endpoint takes requests: one that drains still does, but is to get none while others are ready. */
    public enum Readiness {
        READY,
        DRAINING,
        NOT_READY
    }

    /** A port of every endpoint; the name is that of the Service's port. Without a number: all ports. */
    public record EndpointPort(String name, Optional<Port> port, String protocol) {}

    public EndpointSlice {
        endpoints = List.copyOf(endpoints);
        ports = List.copyOf(ports);
    }

    @Override
    public GroupKind type() {
        return GroupKind.ENDPOINT_SLICE;
    }
}
