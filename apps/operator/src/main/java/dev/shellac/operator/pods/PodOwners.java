package dev.shellac.operator.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.Name;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The ReplicaSets and Deployments that carry our label. Anybody can put that label on a pod: a pod is ours where its controller is a ReplicaSet, that one's a
 * Deployment, and that one's the Gateway, each by uid and in one namespace. Guarded by its user.
 */
final class PodOwners {
    /** A link of the chain; {@code controller} is the uid of the next. */
    record Link(Name name, String uid, String controller) {
        static Link of(Name name, JsonNode object) {
            JsonNode meta = object.path("metadata");
            return new Link(name, meta.path("uid").asText(), PodOwners.controller(meta));
        }
    }

    // The server checks no owner's: a longer one is that of nobody.
    private static final int MOST_UID = 128;

    final Map<Name, Link> replicaSets = new HashMap<>();
    final Map<Name, Link> deployments = new HashMap<>();

    /** The uid of the owner that controls an object; empty where none does. */
    static String controller(JsonNode meta) {
        for (JsonNode owner : meta.path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                String uid = owner.path("uid").asText();
                return uid.length() <= MOST_UID ? uid : "";
            }
        }
        return "";
    }

    /** Whether the pod belongs to a Deployment of the Gateway with this uid. */
    boolean isOf(Pod pod, String gateway) {
        return link(replicaSets, pod.name().namespace(), pod.owner())
                .flatMap(replicas -> link(deployments, pod.name().namespace(), replicas.controller()))
                .filter(deployment -> deployment.controller().equals(gateway))
                .isPresent();
    }

    // A handful for each Gateway.
    private static Optional<Link> link(Map<Name, Link> links, String namespace, String uid) {
        return links.values().stream()
                .filter(link -> !uid.isEmpty() && link.uid().equals(uid))
                .filter(link -> link.name().namespace().equals(namespace))
                .findFirst();
    }
}
