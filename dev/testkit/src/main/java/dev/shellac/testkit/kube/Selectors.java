package dev.shellac.testkit.kube;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** {@code labelSelector} and {@code fieldSelector} of the form {@code a=b}, as many as there are commas. */
record Selectors(String labels, String fields) {
    static Selectors of(Map<String, String> query) {
        return new Selectors(query.getOrDefault("labelSelector", ""), query.getOrDefault("fieldSelector", ""));
    }

    boolean take(JsonNode object) {
        JsonNode meta = object.path("metadata");
        for (String pair : labels.isEmpty() ? new String[0] : labels.split(",")) {
            String[] sides = pair.split("=", 2);
            if (!meta.path("labels").path(sides[0]).asText().equals(sides[1])) {
                return false;
            }
        }
        for (String pair : fields.isEmpty() ? new String[0] : fields.split(",")) {
            String[] sides = pair.split("=", 2);
            JsonNode value = sides[0].equals("metadata.name") ? meta.path("name") : object.path(sides[0]);
            if (!value.asText().equals(sides[1])) {
                return false;
            }
        }
        return true;
    }
}
