package dev.shellac.decode.schema;

import dev.shellac.decode.tree.CanonicalJson;
import dev.shellac.decode.tree.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads an object that was found to have its shape. A field that is missing although the shape requires it, or of another
 * type, is a mistake of the program and throws.
 */
public record ValidObject(Node.Mapping mapping) {
    public boolean has(String field) {
        return mapping.find(field).isPresent();
    }

    public String text(String field) {
        return optionalText(field).orElseThrow(() -> missing(field));
    }

    public Optional<String> optionalText(String field) {
        return mapping.find(field).map(ValidObject::textOf);
    }

    /** Whether the field holds exactly this text. */
    public boolean is(String field, String value) {
        return optionalText(field).map(value::equals).orElse(false);
    }

    public int whole(String field) {
        return optionalWhole(field).orElseThrow(() -> missing(field));
    }

    public Optional<Integer> optionalWhole(String field) {
        return mapping.find(field).map(node -> Math.toIntExact(((Node.Whole) node).value()));
    }

    public Optional<Long> optionalLong(String field) {
        return mapping.find(field).map(node -> ((Node.Whole) node).value());
    }

    public Optional<Boolean> optionalFlag(String field) {
        return mapping.find(field).map(node -> ((Node.Flag) node).value());
    }

    public ValidObject object(String field) {
        return optionalObject(field).orElseThrow(() -> missing(field));
    }

    public Optional<ValidObject> optionalObject(String field) {
        return mapping.find(field).map(node -> new ValidObject((Node.Mapping) node));
    }

    /** The objects of a list; none where the field is absent. */
    public List<ValidObject> objects(String field) {
        return items(field).stream()
                .map(node -> new ValidObject((Node.Mapping) node))
                .toList();
    }

    public List<String> texts(String field) {
        return items(field).stream().map(ValidObject::textOf).toList();
    }

    public List<Integer> wholes(String field) {
        return items(field).stream()
                .map(node -> Math.toIntExact(((Node.Whole) node).value()))
                .toList();
    }

    /** The texts of a table; none where the field is absent. */
    public Map<String, String> table(String field) {
        var table = new LinkedHashMap<String, String>();
        mapping.find(field)
                .ifPresent(node ->
                        ((Node.Mapping) node).fields().forEach((key, entry) -> table.put(key, textOf(entry.value()))));
        return table;
    }

    /** A part that is handed on as it is. */
    public Optional<String> json(String field) {
        return mapping.find(field).map(CanonicalJson::print);
    }

    public Optional<Node> node(String field) {
        return mapping.find(field);
    }

    private List<Node> items(String field) {
        return mapping.find(field).map(node -> ((Node.Sequence) node).items()).orElse(List.of());
    }

    private static String textOf(Node node) {
        return ((Node.Text) node).value();
    }

    private IllegalStateException missing(String field) {
        return new IllegalStateException(mapping.at() + " has no " + field + " although its shape requires it");
    }
}
