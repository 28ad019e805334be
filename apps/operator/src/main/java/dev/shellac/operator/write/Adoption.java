package dev.shellac.operator.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.write.HttpKubeWriter;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.children.Labels;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.Set;

/**
 * Children that another operator of these Gateways made, before this one was installed. What it has set would stay for ever, beside what we set: the server removes a
 * field only when nobody who set it wants it any more. So its fields become ours, and what we do not set goes when we apply. Who has set the label that says
 * whose an object is has made it; what others have added since stays theirs.
 */
final class Adoption {
    private static final System.Logger LOG = System.getLogger(Adoption.class.getName());
    /** Those with a specification, in which what is left would do harm. */
    private static final Set<String> KINDS = Set.of("deployments", "services", "poddisruptionbudgets");

    private static final String MANAGER = "manager";
    private static final String OPERATION = "operation";
    private static final String APPLY = "Apply";
    private static final String FIELDS = "fieldsV1";

    private Adoption() {}

    /** Makes it ours, where it is there and somebody else made it. */
    static void adopt(KubeWriter kube, ObjectKey key) throws IOException, InterruptedException {
        if (!KINDS.contains(key.plural())) {
            return;
        }
        Optional<ObjectNode> there = kube.read(key.path());
        if (there.isEmpty()) {
            return;
        }
        JsonNode meta = there.get().path("metadata");
        Optional<ArrayNode> adopted = adopted(meta.path("managedFields"));
        if (adopted.isPresent()) {
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            patch.putObject("metadata")
                    .put("resourceVersion", meta.path("resourceVersion").asText())
                    .set("managedFields", adopted.get());
            kube.merge(key.path(), patch);
            LOG.log(Level.INFO, "{0} was made by another operator, and is ours from now on", key);
        }
    }

    // All fields of those who made it in one entry, which is ours; nothing where it is so already.
    private static Optional<ArrayNode> adopted(JsonNode entries) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        ObjectNode ours = JsonNodeFactory.instance.objectNode();
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        boolean anything = false;
        for (JsonNode entry : entries) {
            if (isOurs(entry) || hasMade(entry)) {
                anything |= !isOurs(entry);
                ours.setAll((ObjectNode) entry);
                unite(fields, entry.path(FIELDS));
            } else {
                all.add(entry);
            }
        }
        ours.put(MANAGER, HttpKubeWriter.MANAGER).put(OPERATION, APPLY).set(FIELDS, fields);
        return anything ? Optional.of(all.add(ours)) : Optional.empty();
    }

    private static boolean isOurs(JsonNode entry) {
        return entry.path(MANAGER).asText().equals(HttpKubeWriter.MANAGER)
                && entry.path(OPERATION).asText().equals(APPLY);
    }

    private static boolean hasMade(JsonNode entry) {
        return entry.path("subresource").asText().isEmpty()
                && entry.path(FIELDS).path("f:metadata").path("f:labels").has("f:" + Labels.MANAGED_BY);
    }

    private static void unite(ObjectNode own, JsonNode more) {
        more.properties().forEach(field -> {
            if (own.get(field.getKey()) instanceof ObjectNode mine) {
                unite(mine, field.getValue());
            } else {
                own.set(field.getKey(), field.getValue().deepCopy());
            }
        });
    }
}
