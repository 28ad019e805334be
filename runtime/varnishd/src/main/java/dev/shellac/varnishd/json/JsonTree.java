package dev.shellac.varnishd.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** JSON that varnishd's programs print, as far as it is wanted: a value is a node, and what is not there is empty. */
public final class JsonTree {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final JsonTree ABSENT = new JsonTree("");

    // A Map of nodes, a List of nodes, or the text of anything else.
    private final Object value;

    private JsonTree(Object value) {
        this.value = value;
    }

    public static JsonTree parse(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            parser.nextToken();
            return node(parser);
        }
    }

    private static JsonTree node(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            var members = new LinkedHashMap<String, JsonTree>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                members.put(name, node(parser));
            }
            return new JsonTree(members);
        }
        if (token == JsonToken.START_ARRAY) {
            var items = new ArrayList<JsonTree>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                items.add(node(parser));
            }
            return new JsonTree(items);
        }
        if (token == null) {
            throw new IOException("no JSON");
        }
        return token == JsonToken.VALUE_NULL ? ABSENT : new JsonTree(parser.getText());
    }

    public JsonTree get(String name) {
        return members().getOrDefault(name, ABSENT);
    }

    public Map<String, JsonTree> members() {
        if (!(value instanceof Map<?, ?>)) {
            return Map.of();
        }
        @SuppressWarnings("unchecked") // node() makes no other map
        var members = (Map<String, JsonTree>) value;
        return members;
    }

    public List<JsonTree> items() {
        if (!(value instanceof List<?>)) {
            return List.of();
        }
        @SuppressWarnings("unchecked") // node() makes no other list
        var items = (List<JsonTree>) value;
        return items;
    }

    public String text() {
        return value instanceof String text ? text : "";
    }

    public Optional<Double> number() {
        try {
            return text().isEmpty() ? Optional.empty() : Optional.of(Double.valueOf(text()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    public long whole() {
        return number().map(Double::longValue).orElse(0L);
    }
}
