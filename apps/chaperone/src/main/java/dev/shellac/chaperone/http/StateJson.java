package dev.shellac.chaperone.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.shellac.chaperone.controller.LiveState;
import dev.shellac.chaperone.controller.StatePublisher;
import dev.shellac.model.EvenShare;
import dev.shellac.model.Name;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The state as the operator reads it. */
final class StateJson {
    private static final JsonFactory JSON = new JsonFactory();

    /** What the operator takes of an answer. A larger one would be dropped, and the Gateway be Pending for everybody. */
    static final int MOST_BYTES = 1 << 20;

    // With the longest names that Kubernetes has, all refusals and files fit.
    static final int MOST_ELEMENTS = 500;
    private static final int REFUSAL_BYTES = 512 << 10;
    private static final int LEFT_OUT_BYTES = 260 << 10;
    private static final int OTHER_LIST_BYTES = 48 << 10;

    // Of words in a long list, and of others.
    private static final int FEW_LETTERS = 200;
    private static final int MOST_LETTERS = 1_024;

    private static final int BESIDE_REFUSAL =
            "{'vhost':'','route':'','rule':-2147483648,'match':-2147483648,'field':'','effect':'','message':''},"
                    .length();
    private static final int BESIDE_ENTRY = "'':'',".length();

    /**
     * The pod that says it.
     *
     * @param key what seals for it are made with
     */
    record Self(String pod, String key) {}

    private StateJson() {}

    static String of(StatePublisher.VersionedState versionedState, boolean ready, Self self) throws IOException {
        var text = new StringWriter();
        LiveState state = versionedState.state();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            field(json, "version", versionedState.version());
            field(json, "pod", self.pod());
            field(json, "key", self.key());
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
            field(json, "certificates", state.edge().certificates().orElse(""));
            texts(json, "leftOut", state.edge().leftOut(), new ListRoom(MOST_ELEMENTS, FEW_LETTERS, LEFT_OUT_BYTES));
            json.writeEndObject();
            texts(json, "faults", state.faults(), new ListRoom(MOST_ELEMENTS, MOST_LETTERS, OTHER_LIST_BYTES));
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void table(JsonGenerator json, LiveState.Table table) throws IOException {
        json.writeObjectFieldStart("table");
        field(json, "hash", table.hash());
        json.writeNumberField("hosts", table.hosts());
        json.writeNumberField("routes", table.routes());
        json.writeArrayFieldStart("refusals");
        var shared = new EvenShare<LiveState.Refusal>(MOST_ELEMENTS);
        table.refusals().forEach(refusal -> shared.add(refusal.route().split("/", 2)[0], refusal));
        var room = new ListRoom(MOST_ELEMENTS, FEW_LETTERS, REFUSAL_BYTES);
        for (LiveState.Refusal refusal : shared.elements()) {
            refusal(json, refusal, room);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void refusal(JsonGenerator json, LiveState.Refusal refusal, ListRoom room) throws IOException {
        String message = room.cut(refusal.message());
        if (!room.takes(BESIDE_REFUSAL, refusal.vhost(), refusal.route(), refusal.field(), refusal.effect(), message)) {
            return;
        }
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
        json.writeStringField("message", message);
        json.writeEndObject();
    }

    private static void endpoints(JsonGenerator json, LiveState.Endpoints endpoints) throws IOException {
        json.writeObjectFieldStart("endpoints");
        names(json, "namespaces", endpoints.namespaces().stream());
        names(json, "waitsFor", endpoints.waitsFor().stream().map(Name::toString));
        json.writeEndObject();
    }

    private static void names(JsonGenerator json, String field, Stream<String> names) throws IOException {
        var room = new ListRoom(MOST_ELEMENTS, MOST_LETTERS, OTHER_LIST_BYTES);
        json.writeArrayFieldStart(field);
        for (String name : names.sorted().toList()) {
            if (room.takes(BESIDE_ENTRY, name)) {
                json.writeString(name);
            }
        }
        json.writeEndArray();
    }

    private static void texts(JsonGenerator json, String name, Map<String, String> values, ListRoom room)
            throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, String> value : new TreeMap<>(values).entrySet()) {
            String words = room.cut(value.getValue());
            if (room.takes(BESIDE_ENTRY, value.getKey(), words)) {
                json.writeStringField(value.getKey(), words);
            }
        }
        json.writeEndObject();
    }

    private static void field(JsonGenerator json, String name, Optional<String> value) throws IOException {
        if (value.isPresent()) {
            field(json, name, value.get());
        }
    }

    private static void field(JsonGenerator json, String name, String value) throws IOException {
        json.writeStringField(name, value.length() <= MOST_LETTERS ? value : value.substring(0, MOST_LETTERS));
    }
}
