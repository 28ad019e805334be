package dev.shellac.operator.children;

import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.NetworkAccess;
import dev.shellac.model.policy.GatewayClassParameters.PodSettings;
import dev.shellac.model.policy.GatewayClassParameters.Scale;
import dev.shellac.model.policy.GatewayClassParameters.ServiceSettings;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the objects of a Gateway are made of, all but its configuration.
 *
 * @param parameters those that hold for it, its own or its class's
 * @param namespaces of the Services that its routes name
 * @param formerSecret the Secret of certificates that pods of an earlier release still read
 */
public record DeploymentInput(
        Gateway gateway,
        Optional<GatewayClassParameters> parameters,
        ListenerPorts ports,
        Set<String> namespaces,
        Optional<String> formerSecret,
        Platform platform) {
    public DeploymentInput {
        namespaces = new TreeSet<>(namespaces);
    }

    ChildMetadata metadata() {
        return new ChildMetadata(gateway);
    }

    Names names() {
        return new Names(gateway.meta().name());
    }

    String image() {
        return parameters.flatMap(GatewayClassParameters::image).orElse(platform.image());
    }

    PodSettings pod() {
        return parameters.map(GatewayClassParameters::pod).orElse(PodSettings.NONE);
    }

    Clients clients() {
        return parameters.map(GatewayClassParameters::clients).orElse(Clients.USUAL);
    }

    NetworkAccess network() {
        return parameters.map(GatewayClassParameters::network).orElse(NetworkAccess.USUAL);
    }

    Scale scale() {
        return parameters.map(GatewayClassParameters::scale).orElse(Scale.FREE);
    }

    ServiceSettings service() {
        return parameters.map(GatewayClassParameters::service).orElse(ServiceSettings.NONE);
    }
}
