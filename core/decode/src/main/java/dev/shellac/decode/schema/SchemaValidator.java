package dev.shellac.decode.schema;

import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.CanonicalJson;
import dev.shellac.decode.tree.Node;
import dev.shellac.decode.tree.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Fits a tree into a shape: gives the tree with defaults filled in, and collects what does not fit. Rules over several
 * fields run only where the fields themselves are right, as in the API server.
 */
public final class SchemaValidator {
    private final String object;
    private final ObjectOrigin origin;
    private final List<Finding> findings = new ArrayList<>();

    private SchemaValidator(String object, ObjectOrigin origin) {
        this.object = object;
        this.origin = origin;
    }

    /** Whether somebody let the object in already. */
    public enum ObjectOrigin {
        NEW,
        STORED
    }

    /** The tree with its defaults, and what was found; the tree is usable if no finding is an error. */
    public record Validated(Node.Mapping tree, List<Finding> findings) {
        public Validated {
            findings = List.copyOf(findings);
        }

        /** What is wrong first, and where. */
        public String firstError() {
            return findings.stream()
                    .filter(finding -> finding.severity() == Severity.ERROR)
                    .findFirst()
                    .map(finding -> finding.path() + ": " + finding.message())
                    .orElseThrow();
        }

        public boolean isUsable() {
            return findings.stream().noneMatch(finding -> finding.severity() == Severity.ERROR);
        }
    }

    public static Validated validate(String object, Node.Mapping tree, Schema.Fields schema, ObjectOrigin origin) {
        var schemaValidator = new SchemaValidator(object, origin);
        Node.Mapping fitted = schemaValidator.fields(tree, schema, "");
        return new Validated(fitted, schemaValidator.findings);
    }

    private Node value(Node node, Schema schema, String path) {
        return switch (schema) {
            case Schema.Text text -> text(node, text, path);
            case Schema.Whole whole -> whole(node, whole, path);
            case Schema.Flag flag -> typed(node, Node.Flag.class, "true or false", path);
            case Schema.Items items -> items(node, items, path);
            case Schema.Table table -> table(node, table, path);
            case Schema.Fields fields ->
                node instanceof Node.Mapping mapping ? fields(mapping, fields, path) : wrong(node, "an object", path);
            case Schema.WholeOrText either -> wholeOrText(node, either, path);
            case Schema.Anything anything -> node;
        };
    }

    private Node.Mapping fields(Node.Mapping mapping, Schema.Fields schema, String path) {
        int before = findings.size();
        if (schema.others() == Schema.Others.NAMED) {
            mapping.fields().forEach((name, entry) -> {
                if (!schema.byName().containsKey(name)) {
                    unknown(entry.at(), child(path, name), nearest(name, schema));
                }
            });
        }
        var fitted = new LinkedHashMap<String, Node.Entry>();
        for (Schema.Field field : schema.byName().values()) {
            present(mapping, field)
                    .map(node -> new Node.Entry(node.at(), value(node, field.schema(), child(path, field.name()))))
                    .ifPresentOrElse(entry -> fitted.put(field.name(), entry), () -> {
                        if (field.isRequired()) {
                            refuse(mapping.at(), child(path, field.name()), "missing, it is required");
                        }
                    });
        }
        if (schema.others() == Schema.Others.KEPT) {
            mapping.fields().forEach(fitted::putIfAbsent);
        }
        Node.Mapping result = new Node.Mapping(mapping.at(), fitted);
        if (noErrorSince(before)) {
            ValidObject object = new ValidObject(result);
            schema.rules().stream()
                    .filter(rule -> breaks(rule, object))
                    .forEach(rule -> refuse(mapping.at(), path, rule.message()));
        }
        return result;
    }

    private <T> boolean breaks(Schema.Rule<T> rule, T value) {
        boolean isAsked = origin == ObjectOrigin.NEW || rule.enforcer() == Schema.Enforcer.DECODER;
        return isAsked && !rule.holds().test(value);
    }

    private static Optional<Node> present(Node.Mapping mapping, Schema.Field field) {
        return mapping.find(field.name()).or(() -> field.fallback().map(value -> Schema.tree(value, mapping.at())));
    }

    private Node text(Node node, Schema.Text schema, String path) {
        if (!(node instanceof Node.Text text)) {
            return wrong(node, "text", path);
        }
        String value = text.value();
        int length = value.codePointCount(0, value.length());
        if (length < schema.least()) {
            refuse(node.at(), path, value.isEmpty() ? "must not be empty" : "must have at least " + schema.least());
        } else if (length > schema.most()) {
            refuse(node.at(), path, "has " + length + " characters, at most " + schema.most() + " are allowed");
        } else if (!schema.oneOf().isEmpty() && !schema.oneOf().contains(value)) {
            refuse(node.at(), path, "'" + value + "' is none of " + String.join(", ", schema.oneOf()));
        } else if (schema.pattern().isPresent() && !schema.pattern().get().accepts(value)) {
            refuse(
                    node.at(),
                    path,
                    "'" + value + "' is not " + schema.pattern().get().words());
        } else {
            schema.rules().stream()
                    .filter(rule -> breaks(rule, value))
                    .forEach(rule -> refuse(node.at(), path, rule.message()));
        }
        return node;
    }

    private Node wholeOrText(Node node, Schema.WholeOrText schema, String path) {
        if (node instanceof Node.Text text) {
            schema.pattern()
                    .filter(pattern -> !pattern.accepts(text.value()))
                    .ifPresent(pattern -> refuse(node.at(), path, "'" + text.value() + "' is not " + pattern.words()));
            return node;
        }
        return node instanceof Node.Whole ? node : wrong(node, "a number or text", path);
    }

    private Node whole(Node node, Schema.Whole schema, String path) {
        if (!(node instanceof Node.Whole whole)) {
            return wrong(node, "a whole number", path);
        }
        long value = whole.value();
        if (value < schema.least() || value > schema.most()) {
            refuse(node.at(), path, value + " is out of range, " + range(schema));
        } else if (!schema.oneOf().isEmpty() && !schema.oneOf().contains(value)) {
            String choices = schema.oneOf().stream().map(String::valueOf).collect(Collectors.joining(", "));
            refuse(node.at(), path, value + " is none of " + choices);
        }
        return node;
    }

    private static String range(Schema.Whole schema) {
        return schema.most() == Long.MAX_VALUE
                ? "the least is " + schema.least()
                : "it goes from " + schema.least() + " to " + schema.most();
    }

    private Node items(Node node, Schema.Items schema, String path) {
        if (!(node instanceof Node.Sequence sequence)) {
            return wrong(node, "a list", path);
        }
        int before = findings.size();
        int size = sequence.items().size();
        if (size < schema.least()) {
            refuse(
                    node.at(),
                    path,
                    "must have at least " + schema.least() + (schema.least() == 1 ? " item" : " items"));
        } else if (size > schema.most()) {
            refuse(node.at(), path, "has " + size + " items, at most " + schema.most() + " are allowed");
        }
        var items = new ArrayList<Node>();
        for (int i = 0; i < size; i++) {
            items.add(value(sequence.items().get(i), schema.item(), path + "[" + i + "]"));
        }
        Node.Sequence result = new Node.Sequence(node.at(), items);
        if (noErrorSince(before)) {
            repeats(result, schema, path);
        }
        if (noErrorSince(before) && !schema.rules().isEmpty()) {
            List<ValidObject> objects = items.stream()
                    .map(item -> new ValidObject((Node.Mapping) item))
                    .toList();
            schema.rules().stream()
                    .filter(rule -> breaks(rule, objects))
                    .forEach(rule -> refuse(node.at(), path, rule.message()));
        }
        return result;
    }

    private void repeats(Node.Sequence sequence, Schema.Items schema, String path) {
        if (schema.keys().isEmpty() && schema.repeats() == Schema.Repeats.ALLOWED) {
            return;
        }
        if (schema.repeats() == Schema.Repeats.REFUSED_AND_STAR_ALONE
                && sequence.items().size() > 1
                && sequence.items().stream().anyMatch(SchemaValidator::isStar)) {
            refuse(sequence.at(), path, "cannot contain '*' alongside other values");
        }
        var seen = new HashSet<String>();
        for (int i = 0; i < sequence.items().size(); i++) {
            Node item = sequence.items().get(i);
            String key = schema.keys().isEmpty() ? CanonicalJson.print(item) : keyOf((Node.Mapping) item, schema);
            if (!seen.add(key)) {
                refuse(item.at(), path + "[" + i + "]", "is there twice: " + key.replace("\"", ""));
            }
        }
    }

    private static boolean isStar(Node item) {
        return item instanceof Node.Text text && text.value().equals("*");
    }

    private static String keyOf(Node.Mapping item, Schema.Items schema) {
        return schema.keys().stream()
                .map(key -> item.find(key).map(CanonicalJson::print).orElse(""))
                .collect(Collectors.joining("/"));
    }

    private Node table(Node node, Schema.Table schema, String path) {
        if (!(node instanceof Node.Mapping mapping)) {
            return wrong(node, "an object", path);
        }
        if (mapping.fields().size() > schema.most()) {
            refuse(node.at(), path, "has " + mapping.fields().size() + " entries, at most " + schema.most());
        }
        var fitted = new LinkedHashMap<String, Node.Entry>();
        mapping.fields().forEach((key, entry) -> {
            schema.keyRules().stream()
                    .filter(rule -> !rule.holds().test(key))
                    .forEach(rule -> refuse(entry.at(), child(path, key), rule.message()));
            if (!(entry.value() instanceof Node.Nothing)) {
                fitted.put(key, new Node.Entry(entry.at(), value(entry.value(), schema.value(), child(path, key))));
            } else if (schema.nulls() == Schema.Nulls.EMPTY_TEXT) {
                fitted.put(key, new Node.Entry(entry.at(), new Node.Text(entry.at(), "")));
            }
        });
        return new Node.Mapping(node.at(), fitted);
    }

    private Node typed(Node node, Class<? extends Node> type, String noun, String path) {
        return type.isInstance(node) ? node : wrong(node, noun, path);
    }

    private Node wrong(Node node, String wanted, String path) {
        String hint = wanted.equals("text") && !(node instanceof Node.Mapping) ? ": put it in quotes" : "";
        refuse(node.at(), path, "must be " + wanted + ", not " + node.noun() + hint);
        return node;
    }

    private static String nearest(String name, Schema.Fields schema) {
        return schema.byName().keySet().stream()
                .filter(known -> known.equalsIgnoreCase(name) || known.equals(name + "s") || name.equals(known + "s"))
                .findFirst()
                .map(known -> "; do you mean " + known + "?")
                .orElse("");
    }

    private boolean noErrorSince(int before) {
        return findings.subList(before, findings.size()).stream()
                .noneMatch(finding -> finding.severity() == Severity.ERROR);
    }

    private void refuse(Position at, String path, String message) {
        findings.add(new Finding(Severity.ERROR, at, object, path, message));
    }

    // What is stored may come from a definition that is newer than we are. In a file it is a typing mistake: kubectl
    // refuses it, too.
    private void unknown(Position at, String path, String hint) {
        findings.add(
                origin == ObjectOrigin.NEW
                        ? new Finding(Severity.ERROR, at, object, path, "unknown field" + hint)
                        : new Finding(Severity.WARNING, at, object, path, "unknown field, it has no effect" + hint));
    }

    private static String child(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
