package dev.shellac.operator.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.Name;
import dev.shellac.model.status.MessageText;
import dev.shellac.operator.children.Labels;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A pod of a Gateway, as far as it is looked at.
 *
 * @param gateway the value of the label that names its Gateway
 * @param owner the uid of the object that controls it
 * @param ending it was told to go
 * @param image of the gateway's container
 * @param obstacle why one of its containers does not run, in the words of its node
 */
public record Pod(
        Name name,
        String uid,
        String gateway,
        String owner,
        Optional<String> address,
        boolean ready,
        boolean ending,
        String image,
        Optional<String> obstacle) {
    // What every container goes through.
    private static final Set<String> ON_ITS_WAY = Set.of("", "ContainerCreating", "PodInitializing");
    private static final int MOST_WORDS = 500;
    private static final String FAILED_PULL = "ErrImagePull: ";
    private static final Pattern BACK_OFF = Pattern.compile("back-off \\S+ restarting");

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
                meta.has("deletionTimestamp"),
                MessageText.cut(object.at("/spec/containers/0/image").asText(), MOST_WORDS),
                obstacle(status));
    }

    private static Optional<String> obstacle(JsonNode status) {
        return obstacle("init container ", status.path("initContainerStatuses"))
                .or(() -> obstacle("container ", status.path("containerStatuses")));
    }

    private static Optional<String> obstacle(String what, JsonNode containers) {
        for (JsonNode container : containers) {
            JsonNode waiting = container.at("/state/waiting");
            String reason = waiting.path("reason").asText();
            if (!ON_ITS_WAY.contains(reason)) {
                String message = waiting.path("message").asText();
                String words = what + container.path("name").asText() + " does not run: "
                        + lasting(reason + (message.isEmpty() ? "" : ": " + message));
                return Optional.of(MessageText.cut(words, MOST_WORDS));
            }
        }
        return Optional.empty();
    }

    // A node alternates between a failed pull and the wait before the next one, and waits longer each time. A status
    // follows none of it.
    private static String lasting(String words) {
        int pull = words.indexOf(FAILED_PULL);
        return BACK_OFF.matcher(pull < 0 ? words : words.substring(pull)).replaceFirst("back-off restarting");
    }

    /** Where its state can be asked for. */
    Optional<String> endpoint() {
        return ending ? Optional.empty() : address.map(text -> text.indexOf(':') < 0 ? text : "[" + text + "]");
    }
}
