package dev.shellac.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.shellac.decode.Source;
import dev.shellac.model.Name;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Set;

/** An object as the server said it, without what nobody reads: who wrote which field, and annotations of others. */
public final class RawObject {
    /** A server takes 10,000 levels; were one object too deep for us, nothing behind it would be seen. */
    private static final int MOST_LEVELS = 10_100;

    static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MOST_LEVELS).build())
            .build();

    /** What the items of a list do not say of themselves. */
    public record Type(String apiVersion, String kind) {}

    private final Name name;
    private final String uid;
    private final String version;
    private final String created;
    private final byte[] json;
    private final Part status;

    /** Where the status is. */
    private record Part(int from, int to) {
        int length() {
            return to - from;
        }
    }

    private RawObject(Meta meta, byte[] json, Part status) {
        this.name = new Name(meta.namespace, meta.name);
        this.uid = meta.uid;
        this.version = meta.version;
        this.created = meta.created;
        this.json = json;
        this.status = status;
    }

    public Name name() {
        return name;
    }

    public String uid() {
        return uid;
    }

    /** Its resourceVersion. */
    public String version() {
        return version;
    }

    /** When it was created, as text that sorts by time. */
    String created() {
        return created;
    }

    public byte[] json() {
        return json.clone();
    }

    /** Bytes of what its author wrote; the status is that of controllers. */
    int size() {
        return json.length - status.length();
    }

    /** What it counts in the share of its namespace. */
    int weight() {
        return NamespaceShares.weight(json, status.from(), status.to());
    }

    /** For the decoder, under the name of the object. */
    public Source source() {
        return Source.of(name + ".json", json);
    }

    /** The object that the parser is at the beginning of, with these annotations; afterwards it is at its end. */
    static RawObject read(JsonParser parser, Type type, Set<String> annotations) throws IOException {
        var out = new ByteArrayOutputStream(1024);
        var meta = new Meta(annotations);
        var status = new Part(0, 0);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("apiVersion", type.apiVersion());
            json.writeStringField("kind", type.kind());
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String field = parser.currentName();
                parser.nextToken();
                switch (field) {
                    case "apiVersion", "kind" -> parser.skipChildren();
                    case "metadata" -> {
                        json.writeFieldName(field);
                        meta.copy(parser, json);
                    }
                    case "status" -> {
                        json.flush();
                        int before = out.size();
                        json.writeFieldName(field);
                        json.copyCurrentStructure(parser);
                        json.flush();
                        status = new Part(before, out.size());
                    }
                    default -> {
                        json.writeFieldName(field);
                        json.copyCurrentStructure(parser);
                    }
                }
            }
            json.writeEndObject();
        }
        return new RawObject(meta, out.toByteArray(), status);
    }

    private static final class Meta {
        private final Set<String> annotations;
        private String name = "";
        private String namespace = "";
        private String uid = "";
        private String version = "";
        private String created = "";

        Meta(Set<String> annotations) {
            this.annotations = annotations;
        }

        void copy(JsonParser parser, JsonGenerator json) throws IOException {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                json.copyCurrentStructure(parser);
                return;
            }
            json.writeStartObject();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String field = parser.currentName();
                parser.nextToken();
                switch (field) {
                    case "managedFields" -> parser.skipChildren();
                    case "annotations" -> annotations(parser, json);
                    default -> {
                        note(field, parser);
                        json.writeFieldName(field);
                        json.copyCurrentStructure(parser);
                    }
                }
            }
            json.writeEndObject();
        }

        private void note(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "name" -> name = parser.getText();
                case "namespace" -> namespace = parser.getText();
                case "uid" -> uid = parser.getText();
                case "resourceVersion" -> version = parser.getText();
                case "creationTimestamp" -> created = parser.getText();
                default -> {
                    // Nothing that a watch needs.
                }
            }
        }

        private void annotations(JsonParser parser, JsonGenerator json) throws IOException {
            json.writeFieldName("annotations");
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                json.copyCurrentStructure(parser);
                return;
            }
            json.writeStartObject();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                if (annotations.contains(key)) {
                    json.writeFieldName(key);
                    json.copyCurrentStructure(parser);
                } else {
                    parser.skipChildren();
                }
            }
            json.writeEndObject();
        }
    }
}
