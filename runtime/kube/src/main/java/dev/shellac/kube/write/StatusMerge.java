package dev.shellac.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.model.status.MessageText;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * What we say of an object, put into what is said of it now. Entries of other controllers and conditions of types that are not ours stay as they
 * are, fields that we do not know included. A condition keeps its time for as long as its status is the same.
 *
 * @param controller our name in entries that several controllers write
 * @param ours the types of conditions that are ours, where several write into one list
 * @param now for conditions that changed
 */
public record StatusMerge(String controller, Set<String> ours, String now) {
    private static final JsonMapper JSON = new JsonMapper();
    // The API's own limits.
    private static final int MOST_MESSAGE = 32_768;
    private static final int MOST_PARENTS = 32;
    private static final int MOST_ANCESTORS = 16;
    private static final String CONDITIONS = "conditions";
    private static final String TIME = "lastTransitionTime";

    public StatusMerge {
        ours = Set.copyOf(ours);
    }

    /** The fields of the status that are to be written, each as a whole. A field that is null is to go. */
    public ObjectNode merged(JsonNode before, Map<String, Object> wanted) {
        ObjectNode next = tree(wanted);
        if (next.has("parents")) {
            next.set("parents", entries(before.path("parents"), next.path("parents"), "parentRef", MOST_PARENTS));
        } else if (next.has("ancestors")) {
            next.set(
                    "ancestors",
                    entries(before.path("ancestors"), next.path("ancestors"), "ancestorRef", MOST_ANCESTORS));
        } else {
            next.set(CONDITIONS, conditions(before.path(CONDITIONS), next.path(CONDITIONS)));
            if (next.has("listeners")) {
                next.set("listeners", listeners(before.path("listeners"), next.path("listeners")));
            }
            for (String emptied : Set.of("addresses", "attachedListenerSets", "supportedFeatures")) {
                if (before.has(emptied) && !next.has(emptied)) {
                    next.putNull(emptied);
                }
            }
        }
        return next;
    }

    // Written and read, so that numbers are of the type that they have in what the server says.
    private static ObjectNode tree(Map<String, Object> fields) {
        try {
            return (ObjectNode) JSON.readTree(JSON.writeValueAsBytes(fields));
        } catch (IOException e) {
            throw new IllegalStateException("a status that is no JSON", e);
        }
    }

    /** Whether writing these fields would change anything. */
    public static boolean changes(JsonNode before, ObjectNode merged) {
        return merged.properties().stream().anyMatch(field -> {
            JsonNode there = before.path(field.getKey());
            return field.getValue().isNull()
                    ? !there.isMissingNode()
                    : !field.getValue().equals(there);
        });
    }

    private ArrayNode entries(JsonNode before, JsonNode wanted, String ref, int most) {
        ArrayNode all = JSON.createArrayNode();
        before.forEach(entry -> {
            if (!isOurs(entry)) {
                all.add(entry);
            }
        });
        for (JsonNode entry : wanted) {
            if (isOurs(entry) && all.size() < most) {
                ObjectNode own = entry.deepCopy();
                own.set(CONDITIONS, conditions(find(before, entry, ref), entry.path(CONDITIONS)));
                all.add(own);
            }
        }
        return all;
    }

    private boolean isOurs(JsonNode entry) {
        return entry.path("controllerName").asText().equals(controller);
    }

    // References are compared with the defaults of the API filled in, as ours are.
    private JsonNode find(JsonNode entries, JsonNode wanted, String ref) {
        for (JsonNode entry : entries) {
            if (isOurs(entry) && entry.path(ref).equals(wanted.path(ref))) {
                return entry.path(CONDITIONS);
            }
        }
        return JSON.missingNode();
    }

    private ArrayNode listeners(JsonNode before, JsonNode wanted) {
        ArrayNode all = JSON.createArrayNode();
        for (JsonNode listener : wanted) {
            JsonNode last = JSON.missingNode();
            for (JsonNode candidate : before) {
                if (candidate.path("name").equals(listener.path("name"))) {
                    last = candidate.path(CONDITIONS);
                }
            }
            ObjectNode own = listener.deepCopy();
            own.set(CONDITIONS, conditions(last, listener.path(CONDITIONS)));
            all.add(own);
        }
        return all;
    }

    // What we decide has no time yet; what has one was read, and is read again here from what is there now.
    private ArrayNode conditions(JsonNode before, JsonNode wanted) {
        ArrayNode all = JSON.createArrayNode();
        for (JsonNode condition : wanted) {
            if (!condition.has(TIME)) {
                ObjectNode own = condition.deepCopy();
                own.put(TIME, time(before, condition));
                own.put("message", MessageText.cut(own.path("message").asText(), MOST_MESSAGE));
                all.add(own);
            }
        }
        before.forEach(condition -> {
            if (!ours.contains(condition.path("type").asText())) {
                all.add(condition);
            }
        });
        return all;
    }

    private String time(JsonNode before, JsonNode condition) {
        for (JsonNode last : before) {
            if (last.path("type").equals(condition.path("type"))
                    && last.path("status").equals(condition.path("status"))
                    && last.has(TIME)) {
                return last.path(TIME).asText();
            }
        }
        return now;
    }
}
