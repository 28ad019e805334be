package dev.shellac.decode.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.shape.Shape;
import dev.shellac.decode.shape.View;
import dev.shellac.decode.tree.CanonicalJson;
import dev.shellac.decode.tree.Document;
import dev.shellac.decode.tree.Node;
import dev.shellac.decode.tree.Position;
import dev.shellac.decode.tree.TreeReader;
import dev.shellac.decode.tree.TreeReader.Syntax;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds our shapes against the CRDs of Gateway API: fields, types, limits, patterns, choices and defaults. Give it the
 * folder of the CRDs: {@code -Dgateway.api.crds=…/config/crd/experimental}.
 */
@EnabledIfSystemProperty(named = "gateway.api.crds", matches = ".+")
final class CrdParityTest {
    private final List<String> differences = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "GatewayClass, gatewayclasses",
        "Gateway, gateways",
        "ListenerSet, listenersets",
        "HTTPRoute, httproutes",
        "ReferenceGrant, referencegrants",
        "BackendTLSPolicy, backendtlspolicies",
    })
    void sameShape(String kind, String plural) throws IOException {
        Path file = Path.of(System.getProperty("gateway.api.crds"))
                .resolve("gateway.networking.k8s.io_" + plural + ".yaml");
        Document document = TreeReader.read(file.toString(), Files.readAllBytes(file), Syntax.YAML);
        View crd = new View((Node.Mapping) ((Document.Parsed) document).roots().getFirst());
        View stored = crd.object("spec").objects("versions").stream()
                .filter(version -> version.optionalFlag("storage").orElse(false))
                .findFirst()
                .orElseThrow();
        View schema = stored.object("schema")
                .object("openAPIV3Schema")
                .object("properties")
                .object("spec");
        KindDecoder ours = Kinds.ALL.stream()
                .filter(candidate -> candidate.type().kind().equals(kind))
                .findFirst()
                .orElseThrow();
        compare("spec", field(ours.shape(), "spec").shape(), schema);
        assertThat(differences).isEmpty();
    }

    private static Shape.Field field(Shape.Fields shape, String name) {
        return Optional.ofNullable(shape.byName().get(name)).orElseThrow();
    }

    private void compare(String path, Shape shape, View schema) {
        switch (shape) {
            case Shape.Text text -> compareText(path, text, schema);
            case Shape.Whole whole -> {
                same(path, "type", "integer", schema.text("type"));
                same(
                        path,
                        "minimum",
                        whole.least() == Long.MIN_VALUE ? Optional.empty() : Optional.of(whole.least()),
                        schema.optionalLong("minimum"));
                same(
                        path,
                        "maximum",
                        whole.most() >= Integer.MAX_VALUE ? Optional.empty() : Optional.of(whole.most()),
                        schema.optionalLong("maximum"));
            }
            case Shape.Flag flag -> same(path, "type", "boolean", schema.text("type"));
            case Shape.Items items -> {
                same(path, "type", "array", schema.text("type"));
                same(
                        path,
                        "minItems",
                        items.least(),
                        schema.optionalWhole("minItems").orElse(0));
                same(path, "maxItems", limit(items.most()), schema.optionalWhole("maxItems"));
                same(path, "keys", items.keys(), schema.texts("x-kubernetes-list-map-keys"));
                same(path, "set", items.repeats() != Shape.Repeats.ALLOWED, schema.is("x-kubernetes-list-type", "set"));
                compare(path + "[]", items.item(), schema.object("items"));
            }
            case Shape.Table table -> {
                same(path, "maxProperties", limit(table.most()), schema.optionalWhole("maxProperties"));
                compare(path + ".*", table.value(), schema.object("additionalProperties"));
            }
            case Shape.Fields fields -> compareFields(path, fields, schema);
            case Shape.WholeOrText either -> {}
            case Shape.Anything anything -> differences.add(path + " is anything here");
        }
    }

    private void compareText(String path, Shape.Text text, View schema) {
        same(path, "type", "string", schema.text("type"));
        same(path, "maxLength", limit(text.most()), schema.optionalWhole("maxLength"));
        same(path, "minLength", text.least(), schema.optionalWhole("minLength").orElse(0));
        same(path, "pattern", text.pattern().map(Shape.TextPattern::source), schema.optionalText("pattern"));
        same(path, "enum", new TreeSet<>(text.oneOf()), new TreeSet<>(schema.texts("enum")));
    }

    private void compareFields(String path, Shape.Fields fields, View schema) {
        Node.Mapping properties = schema.object("properties").mapping();
        if (path.endsWith("elector")) {
            return;
        }
        same(
                path,
                "fields",
                new TreeSet<>(fields.byName().keySet()),
                new TreeSet<>(properties.fields().keySet()));
        same(
                path,
                "required",
                new TreeSet<>(fields.byName().values().stream()
                        .filter(Shape.Field::isRequired)
                        .map(Shape.Field::name)
                        .toList()),
                new TreeSet<>(schema.texts("required")));
        for (Shape.Field field : fields.byName().values()) {
            if (properties.find(field.name()).orElse(null) instanceof Node.Mapping property) {
                same(
                        path + "." + field.name(),
                        "default",
                        field.fallback().map(value -> CanonicalJson.print(Shape.tree(value, new Position("", 1)))),
                        property.find("default").map(CanonicalJson::print));
                compare(path + "." + field.name(), field.shape(), new View(property));
            }
        }
    }

    private static Optional<Integer> limit(int most) {
        return most == Shape.NO_LIMIT ? Optional.empty() : Optional.of(most);
    }

    private void same(String path, String what, Object ours, Object theirs) {
        if (!ours.equals(theirs)) {
            differences.add(path + " " + what + ": ours " + ours + ", theirs " + theirs);
        }
    }
}
