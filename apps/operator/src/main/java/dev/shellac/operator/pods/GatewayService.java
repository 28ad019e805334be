package dev.shellac.operator.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.Name;
import dev.shellac.model.status.Address;
import dev.shellac.operator.children.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A Service in front of a Gateway's pods.
 *
 * @param gateway the value of the label that names its Gateway, which anybody can set
 * @param owner the uid of the object that controls it
 * @param asked the address that it asks the load balancer for
 * @param granted where it can be reached; what a load balancer gave, or else the address in the cluster
 */
public record GatewayService(Name name, String gateway, String owner, Optional<String> asked, List<Address> granted) {
    private static final String IP = "IPAddress";
    private static final int MOST_ADDRESS = 253;

    public GatewayService {
        granted = List.copyOf(granted);
    }

    static GatewayService of(Name name, JsonNode object) {
        JsonNode meta = object.path("metadata");
        JsonNode spec = object.path("spec");
        var granted = new ArrayList<Address>();
        if (spec.path("type").asText().equals("LoadBalancer")) {
            for (JsonNode ingress : object.path("status").path("loadBalancer").path("ingress")) {
                address(ingress.path("ip"), IP).ifPresent(granted::add);
                address(ingress.path("hostname"), "Hostname").ifPresent(granted::add);
            }
        } else {
            for (JsonNode address : spec.path("clusterIPs")) {
                address(address, IP)
                        .filter(found -> !found.value().equals("None"))
                        .ifPresent(granted::add);
            }
        }
        return new GatewayService(
                name,
                meta.path("labels").path(Labels.GATEWAY_NAME).asText(),
                PodOwners.controller(meta),
                Optional.of(spec.path("loadBalancerIP").asText())
                        .filter(text -> !text.isEmpty() && text.length() <= MOST_ADDRESS),
                granted);
    }

    private static Optional<Address> address(JsonNode text, String type) {
        return Optional.of(text.asText()).filter(value -> !value.isEmpty()).map(value -> new Address(type, value));
    }
}
