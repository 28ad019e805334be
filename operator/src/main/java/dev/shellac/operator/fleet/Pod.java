package dev.shellac.operator.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.Name;
import dev.shellac.operator.children.Labels;
import java.util.Optional;

/**
 * A pod of a Gateway, as far as it is looked at.
 *
 * @param gateway the value of the label that names its Gateway
 * @param owner the uid of the object that controls it
 * @param ending it was told to go
 */
public record Pod(
        Name name, String uid, String gateway, String owner, Optional<String> address, boolean ready, boolean ending) {
    static Pod of(Name name, JsonNode object) {
        JsonNode meta = object.path("metadata");
        JsonNode status = object.path("status");
        boolean ready = false;
        for (JsonNode condition : status.path("conditions")) {
            ready |= condition.path("type").asText().equals("Ready")
                    && condition.path("status").asText().equals("True");
        }
        return new Pod(
                name,
                meta.path("uid").asText(),
                meta.path("labels").path(Labels.GATEWAY_NAME).asText(),
                PodOwners.controller(meta),
                Optional.of(status.path("podIP").asText()).filter(text -> !text.isEmpty()),
                ready,
                meta.has("deletionTimestamp"));
    }

    /** Where its state can be asked for. */
    Optional<String> door() {
        return ending ? Optional.empty() : address.map(text -> text.indexOf(':') < 0 ? text : "[" + text + "]");
    }
}
