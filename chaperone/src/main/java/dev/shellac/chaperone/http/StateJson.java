package dev.shellac.chaperone.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.shellac.chaperone.live.Board;
import dev.shellac.chaperone.live.LiveState;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The state as the operator reads it. */
final class StateJson {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int MOST_LEFT_OUT = 1000;
    private static final int MOST_WORDS = 200;

    /**
     * The pod that says it.
     *
     * @param key what seals for it are made with
     */
    record Self(String pod, String key) {}

    private StateJson() {}

    static String of(Board.Posted posted, boolean ready, Self self) throws IOException {
        var text = new StringWriter();
        LiveState state = posted.state();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("version", posted.version());
            json.writeStringField("pod", self.pod());
            json.writeStringField("key", self.key());
            json.writeBooleanField("ready", ready);
            json.writeObjectFieldStart("config");
            field(json, "resourceVersion", state.config().version());
            field(json, "routing", state.config().routing());
            json.writeEndObject();
            table(json, state.table());
            json.writeObjectFieldStart("vcl");
            field(json, "name", state.vcl().name());
            field(json, "hash", state.vcl().hash());
            field(json, "refused", state.vcl().refused());
            json.writeEndObject();
            endpoints(json, state.endpoints());
            json.writeObjectFieldStart("edge");
            json.writeBooleanField("wanted", state.edge().wanted());
            field(json, "hash", state.edge().hash());
            field(json, "refused", state.edge().refused());
            json.writeStringField("certificates", state.edge().certificates().orElse(""));
            texts(json, "leftOut", bounded(state.edge().leftOut()));
            json.writeEndObject();
            texts(json, "faults", state.faults());
            json.writeEndObject();
        }
        return text.toString();
    }

    // The operator takes a mebibyte.
    private static Map<String, String> bounded(Map<String, String> leftOut) {
        var bounded = new TreeMap<String, String>();
        new TreeMap<>(leftOut)
                .entrySet().stream()
                        .limit(MOST_LEFT_OUT)
                        .forEach(file -> bounded.put(
                                file.getKey(),
                                file.getValue()
                                        .substring(
                                                0,
                                                Math.min(
                                                        MOST_WORDS,
                                                        file.getValue().length()))));
        return bounded;
    }

    private static void table(JsonGenerator json, LiveState.Table table) throws IOException {
        json.writeObjectFieldStart("table");
        field(json, "hash", table.hash());
        json.writeNumberField("hosts", table.hosts());
        json.writeNumberField("routes", table.routes());
        json.writeArrayFieldStart("refusals");
        for (LiveState.Refusal refusal : table.refusals()) {
            json.writeStartObject();
            json.writeStringField("vhost", refusal.vhost());
            json.writeStringField("route", refusal.route());
            if (refusal.rule().isPresent()) {
                json.writeNumberField("rule", refusal.rule().get());
            }
            if (refusal.match().isPresent()) {
                json.writeNumberField("match", refusal.match().get());
            }
            json.writeStringField("field", refusal.field());
            json.writeStringField("effect", refusal.effect());
            json.writeStringField("message", refusal.message());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void endpoints(JsonGenerator json, LiveState.Endpoints endpoints) throws IOException {
        json.writeObjectFieldStart("endpoints");
        json.writeArrayFieldStart("namespaces");
        for (String namespace : new TreeSet<>(endpoints.namespaces())) {
            json.writeString(namespace);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("waitsFor");
        for (var service : new TreeSet<>(endpoints.waitsFor())) {
            json.writeString(service.toString());
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void texts(JsonGenerator json, String name, Map<String, String> values) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, String> value : new TreeMap<>(values).entrySet()) {
            json.writeStringField(value.getKey(), value.getValue());
        }
        json.writeEndObject();
    }

    private static void field(JsonGenerator json, String name, Optional<String> value) throws IOException {
        if (value.isPresent()) {
            json.writeStringField(name, value.get());
        }
    }
}
