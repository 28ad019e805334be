package dev.shellac.decode.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
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
        ValidObject crd = new ValidObject(
                (Node.Mapping) ((Document.Parsed) document).roots().getFirst());
        ValidObject stored = crd.object("spec").objects("versions").stream()
                .filter(version -> version.optionalFlag("storage").orElse(false))
                .findFirst()
                .orElseThrow();
        ValidObject definition = stored.object("schema")
                .object("openAPIV3Schema")
                .object("properties")
                .object("spec");
        KindDecoder ours = Kinds.ALL.stream()
                .filter(candidate -> candidate.type().kind().equals(kind))
                .findFirst()
                .orElseThrow();
        compare("spec", field(ours.schema(), "spec").schema(), definition);
        assertThat(differences).isEmpty();
    }

    private static Schema.Field field(Schema.Fields schema, String name) {
        return Optional.ofNullable(schema.byName().get(name)).orElseThrow();
    }

    private void compare(String path, Schema schema, ValidObject definition) {
        switch (schema) {
            case Schema.Text text -> compareText(path, text, definition);
            case Schema.Whole whole -> {
                same(path, "type", "integer", definition.text("type"));
                same(
                        path,
                        "minimum",
                        whole.least() == Long.MIN_VALUE ? Optional.empty() : Optional.of(whole.least()),
                        definition.optionalLong("minimum"));
                same(
                        path,
                        "maximum",
                        whole.most() >= Integer.MAX_VALUE ? Optional.empty() : Optional.of(whole.most()),
                        definition.optionalLong("maximum"));
            }
            case Schema.Flag flag -> same(path, "type", "boolean", definition.text("type"));
            case Schema.Items items -> {
                same(path, "type", "array", definition.text("type"));
                same(
                        path,
                        "minItems",
                        items.least(),
                        definition.optionalWhole("minItems").orElse(0));
                same(path, "maxItems", limit(items.most()), definition.optionalWhole("maxItems"));
                same(path, "keys", items.keys(), definition.texts("x-kubernetes-list-map-keys"));
                same(
                        path,
                        "set",
                        items.repeats() != Schema.Repeats.ALLOWED,
                        definition.is("x-kubernetes-list-type", "set"));
                compare(path + "[]", items.item(), definition.object("items"));
            }
            case Schema.Table table -> {
                same(path, "maxProperties", limit(table.most()), definition.optionalWhole("maxProperties"));
                compare(path + ".*", table.value(), definition.object("additionalProperties"));
            }
            case Schema.Fields fields -> compareFields(path, fields, definition);
            case Schema.WholeOrText either -> {}
            case Schema.Anything anything -> differences.add(path + " is anything here");
        }
    }

    private void compareText(String path, Schema.Text text, ValidObject definition) {
        same(path, "type", "string", definition.text("type"));
        same(path, "maxLength", limit(text.most()), definition.optionalWhole("maxLength"));
        same(
                path,
                "minLength",
                text.least(),
                definition.optionalWhole("minLength").orElse(0));
        same(path, "pattern", text.pattern().map(Schema.TextPattern::source), definition.optionalText("pattern"));
        same(path, "enum", new TreeSet<>(text.oneOf()), new TreeSet<>(definition.texts("enum")));
    }

    private void compareFields(String path, Schema.Fields fields, ValidObject definition) {
        Node.Mapping properties = definition.object("properties").mapping();
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
                        .filter(Schema.Field::isRequired)
                        .map(Schema.Field::name)
                        .toList()),
                new TreeSet<>(definition.texts("required")));
        for (Schema.Field field : fields.byName().values()) {
            if (properties.find(field.name()).orElse(null) instanceof Node.Mapping property) {
                same(
                        path + "." + field.name(),
                        "default",
                        field.fallback().map(value -> CanonicalJson.print(Schema.tree(value, new Position("", 1)))),
                        property.find("default").map(CanonicalJson::print));
                compare(path + "." + field.name(), field.schema(), new ValidObject(property));
            }
        }
    }

    private static Optional<Integer> limit(int most) {
        return most == Schema.NO_LIMIT ? Optional.empty() : Optional.of(most);
    }

    private void same(String path, String what, Object ours, Object theirs) {
        if (!ours.equals(theirs)) {
            differences.add(path + " " + what + ": ours " + ours + ", theirs " + theirs);
        }
    }
}
