package dev.shellac.varnishconfig;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.shellac.varnishconfig.reading.Json;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;

/** A parser that counts what it was asked for. */
final class JsonOfJackson implements Json.Parser {
    private static final ObjectMapper JACKSON = new ObjectMapper();

    private int bytesParsed;

    @Override
    public Json parse(byte[] bytes, int from, int length) throws RoutingFormatException {
        bytesParsed += length;
        try {
            return json(JACKSON.readTree(bytes, from, length));
        } catch (IOException e) {
            throw new RoutingFormatException(String.valueOf(e.getMessage()));
        }
    }

    /** Since the last time that this was asked. */
    int bytesParsed() {
        int parsed = bytesParsed;
        bytesParsed = 0;
        return parsed;
    }

    private static Json json(JsonNode node) {
        if (node.isObject()) {
            var members = new LinkedHashMap<String, Json>();
            node.properties().forEach(member -> members.put(member.getKey(), json(member.getValue())));
            return new Json.Members(members);
        }
        if (node.isArray()) {
            var items = new ArrayList<Json>();
            node.forEach(item -> items.add(json(item)));
            return new Json.Items(items);
        }
        return node.isTextual() ? new Json.Text(node.textValue()) : new Json.Literal(node.toString());
    }
}
