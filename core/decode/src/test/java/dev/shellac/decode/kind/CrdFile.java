package dev.shellac.decode.kind;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import dev.shellac.model.GroupKind;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The definition of one of our kinds.
 *
 * @param columns what {@code kubectl get} shows, by name: the path of a field
 */
record CrdFile(GroupKind type, String plural, String shortName, String words, Map<String, String> columns) {
    static final List<CrdFile> ALL = List.of(
            new CrdFile(
                    GroupKind.GATEWAY_CLASS_PARAMETERS,
                    "gatewayclassparameters",
                    "gcp",
                    "How the pods of a GatewayClass, or of one Gateway, look.",
                    Map.of()),
            new CrdFile(
                    GroupKind.CACHE_POLICY,
                    "varnishcachepolicies",
                    "vcp",
                    "How responses of a Gateway, an HTTPRoute or one of its rules are cached.",
                    shown("Target Kind", ".spec.targetRef.kind", "Target Name", ".spec.targetRef.name")),
            new CrdFile(
                    GroupKind.CACHE_INVALIDATION,
                    "varnishcacheinvalidations",
                    "vcinv",
                    "Removes objects from the cache of a Gateway, once. Not supported yet: its status says so.",
                    shown("Type", ".spec.type", "Hostname", ".spec.hostname", "Status", ".status.phase")));

    private static Map<String, String> shown(String... namesAndPaths) {
        var columns = new LinkedHashMap<String, String>();
        for (int i = 0; i < namesAndPaths.length; i += 2) {
            columns.put(namesAndPaths[i], namesAndPaths[i + 1]);
        }
        return columns;
    }

    String fileName() {
        return type.group() + "_" + plural + ".yaml";
    }

    String yaml() throws IOException {
        return "# Generated from the shapes of the decoder; CrdFilesTest holds it to them.\n" + print(definition());
    }

    private Map<String, Object> definition() {
        KindDecoder decoder = Kinds.find(type).orElseThrow();
        var names = new LinkedHashMap<String, Object>();
        names.put("kind", type.kind());
        names.put("listKind", type.kind() + "List");
        names.put("plural", plural);
        names.put("singular", type.kind().toLowerCase(Locale.ROOT));
        names.put("shortNames", List.of(shortName));
        var spec = new LinkedHashMap<String, Object>();
        spec.put("group", type.group());
        spec.put("names", names);
        spec.put("scope", decoder.scope() == KindDecoder.Scope.CLUSTER ? "Cluster" : "Namespaced");
        spec.put(
                "versions",
                decoder.versions().stream()
                        .map(version -> version(decoder, version))
                        .toList());
        var definition = new LinkedHashMap<String, Object>();
        definition.put("apiVersion", "apiextensions.k8s.io/v1");
        definition.put("kind", "CustomResourceDefinition");
        definition.put("metadata", Map.of("name", plural + "." + type.group()));
        definition.put("spec", spec);
        return definition;
    }

    private Map<String, Object> version(KindDecoder decoder, String name) {
        var version = new LinkedHashMap<String, Object>();
        version.put("name", name);
        version.put("served", true);
        version.put("storage", true);
        if (decoder.schema().byName().containsKey("status")) {
            version.put("subresources", Map.of("status", Map.of()));
        }
        version.put("additionalPrinterColumns", printed());
        version.put("schema", Map.of("openAPIV3Schema", schema(decoder)));
        return version;
    }

    private List<Map<String, Object>> printed() {
        var printed = new ArrayList<Map<String, Object>>();
        columns.forEach((name, path) -> printed.add(column(name, "string", path)));
        printed.add(column("Age", "date", ".metadata.creationTimestamp"));
        return printed;
    }

    private static Map<String, Object> column(String name, String type, String path) {
        var column = new LinkedHashMap<String, Object>();
        column.put("name", name);
        column.put("type", type);
        column.put("jsonPath", path);
        return column;
    }

    private Map<String, Object> schema(KindDecoder decoder) {
        Map<String, Object> schema = CrdSchema.of(decoder.schema());
        var properties = new LinkedHashMap<String, Object>();
        properties.put("apiVersion", Map.of("type", "string"));
        properties.put("kind", Map.of("type", "string"));
        properties.put("metadata", Map.of("type", "object"));
        properties.putAll(CrdSchema.properties(decoder.schema()));
        schema.put("properties", properties);
        var described = new LinkedHashMap<String, Object>();
        described.put("description", words);
        described.putAll(schema);
        return described;
    }

    private static String print(Object tree) throws IOException {
        var text = new StringWriter();
        var factory = YAMLFactory.builder()
                .disable(Feature.WRITE_DOC_START_MARKER)
                .disable(Feature.SPLIT_LINES)
                .enable(Feature.MINIMIZE_QUOTES)
                .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                .build();
        try (JsonGenerator out = factory.createGenerator(text)) {
            write(out, tree);
        }
        return text.toString();
    }

    private static void write(JsonGenerator out, Object tree) throws IOException {
        switch (tree) {
            case Map<?, ?> map -> {
                out.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.writeFieldName(String.valueOf(entry.getKey()));
                    write(out, entry.getValue());
                }
                out.writeEndObject();
            }
            case List<?> list -> {
                out.writeStartArray();
                for (Object item : list) {
                    write(out, item);
                }
                out.writeEndArray();
            }
            case Number number -> out.writeNumber(number.longValue());
            case Boolean flag -> out.writeBoolean(flag);
            default -> out.writeString(tree.toString());
        }
    }
}
