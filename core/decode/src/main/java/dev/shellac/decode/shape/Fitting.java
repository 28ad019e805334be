package dev.shellac.decode.shape;

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
public final class Fitting {
    private final String object;
    private final Standing standing;
    private final List<Finding> findings = new ArrayList<>();

    private Fitting(String object, Standing standing) {
        this.object = object;
        this.standing = standing;
    }

    /** Whether somebody let the object in already. */
    public enum Standing {
        NEW,
        STORED
    }

    /** The tree with its defaults, and what was found; the tree is usable if no finding is an error. */
    public record Fitted(Node.Mapping tree, List<Finding> findings) {
        public Fitted {
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

    public static Fitted fit(String object, Node.Mapping tree, Shape.Fields shape, Standing standing) {
        var fitting = new Fitting(object, standing);
        Node.Mapping fitted = fitting.fields(tree, shape, "");
        return new Fitted(fitted, fitting.findings);
    }

    private Node value(Node node, Shape shape, String path) {
        return switch (shape) {
            case Shape.Text text -> text(node, text, path);
            case Shape.Whole whole -> whole(node, whole, path);
            case Shape.Flag flag -> typed(node, Node.Flag.class, "true or false", path);
            case Shape.Items items -> items(node, items, path);
            case Shape.Table table -> table(node, table, path);
            case Shape.Fields fields ->
                node instanceof Node.Mapping mapping ? fields(mapping, fields, path) : wrong(node, "an object", path);
            case Shape.WholeOrText either -> wholeOrText(node, either, path);
            case Shape.Anything anything -> node;
        };
    }

    private Node.Mapping fields(Node.Mapping mapping, Shape.Fields shape, String path) {
        int before = findings.size();
        if (shape.others() == Shape.Others.NAMED) {
            mapping.fields().forEach((name, entry) -> {
                if (!shape.byName().containsKey(name)) {
                    unknown(entry.at(), child(path, name), nearest(name, shape));
                }
            });
        }
        var fitted = new LinkedHashMap<String, Node.Entry>();
        for (Shape.Field field : shape.byName().values()) {
            present(mapping, field)
                    .map(node -> new Node.Entry(node.at(), value(node, field.shape(), child(path, field.name()))))
                    .ifPresentOrElse(entry -> fitted.put(field.name(), entry), () -> {
                        if (field.isRequired()) {
                            refuse(mapping.at(), child(path, field.name()), "missing, it is required");
                        }
                    });
        }
        if (shape.others() == Shape.Others.KEPT) {
            mapping.fields().forEach(fitted::putIfAbsent);
        }
        Node.Mapping result = new Node.Mapping(mapping.at(), fitted);
        if (noErrorSince(before)) {
            View view = new View(result);
            shape.rules().stream()
                    .filter(rule -> breaks(rule, view))
                    .forEach(rule -> refuse(mapping.at(), path, rule.message()));
        }
        return result;
    }

    private <T> boolean breaks(Shape.Rule<T> rule, T value) {
        boolean isAsked = standing == Standing.NEW || rule.judges() == Shape.Judges.DECODER;
        return isAsked && !rule.holds().test(value);
    }

    private static Optional<Node> present(Node.Mapping mapping, Shape.Field field) {
        return mapping.find(field.name()).or(() -> field.fallback().map(value -> Shape.tree(value, mapping.at())));
    }

    private Node text(Node node, Shape.Text shape, String path) {
        if (!(node instanceof Node.Text text)) {
            return wrong(node, "text", path);
        }
        String value = text.value();
        int length = value.codePointCount(0, value.length());
        if (length < shape.least()) {
            refuse(node.at(), path, value.isEmpty() ? "must not be empty" : "must have at least " + shape.least());
        } else if (length > shape.most()) {
            refuse(node.at(), path, "has " + length + " characters, at most " + shape.most() + " are allowed");
        } else if (!shape.oneOf().isEmpty() && !shape.oneOf().contains(value)) {
            refuse(node.at(), path, "'" + value + "' is none of " + String.join(", ", shape.oneOf()));
        } else if (shape.pattern().isPresent() && !shape.pattern().get().accepts(value)) {
            refuse(
                    node.at(),
                    path,
                    "'" + value + "' is not " + shape.pattern().get().words());
        } else {
            shape.rules().stream()
                    .filter(rule -> breaks(rule, value))
                    .forEach(rule -> refuse(node.at(), path, rule.message()));
        }
        return node;
    }

    private Node wholeOrText(Node node, Shape.WholeOrText shape, String path) {
        if (node instanceof Node.Text text) {
            shape.pattern()
                    .filter(pattern -> !pattern.accepts(text.value()))
                    .ifPresent(pattern -> refuse(node.at(), path, "'" + text.value() + "' is not " + pattern.words()));
            return node;
        }
        return node instanceof Node.Whole ? node : wrong(node, "a number or text", path);
    }

    private Node whole(Node node, Shape.Whole shape, String path) {
        if (!(node instanceof Node.Whole whole)) {
            return wrong(node, "a whole number", path);
        }
        long value = whole.value();
        if (value < shape.least() || value > shape.most()) {
            refuse(node.at(), path, value + " is out of range, " + range(shape));
        } else if (!shape.oneOf().isEmpty() && !shape.oneOf().contains(value)) {
            String choices = shape.oneOf().stream().map(String::valueOf).collect(Collectors.joining(", "));
            refuse(node.at(), path, value + " is none of " + choices);
        }
        return node;
    }

    private static String range(Shape.Whole shape) {
        return shape.most() == Long.MAX_VALUE
                ? "the least is " + shape.least()
                : "it goes from " + shape.least() + " to " + shape.most();
    }

    private Node items(Node node, Shape.Items shape, String path) {
        if (!(node instanceof Node.Sequence sequence)) {
            return wrong(node, "a list", path);
        }
        int before = findings.size();
        int size = sequence.items().size();
        if (size < shape.least()) {
            refuse(node.at(), path, "must have at least " + shape.least() + (shape.least() == 1 ? " item" : " items"));
        } else if (size > shape.most()) {
            refuse(node.at(), path, "has " + size + " items, at most " + shape.most() + " are allowed");
        }
        var items = new ArrayList<Node>();
        for (int i = 0; i < size; i++) {
            items.add(value(sequence.items().get(i), shape.item(), path + "[" + i + "]"));
        }
        Node.Sequence result = new Node.Sequence(node.at(), items);
        if (noErrorSince(before)) {
            repeats(result, shape, path);
        }
        if (noErrorSince(before) && !shape.rules().isEmpty()) {
            List<View> views =
                    items.stream().map(item -> new View((Node.Mapping) item)).toList();
            shape.rules().stream()
                    .filter(rule -> breaks(rule, views))
                    .forEach(rule -> refuse(node.at(), path, rule.message()));
        }
        return result;
    }

    private void repeats(Node.Sequence sequence, Shape.Items shape, String path) {
        if (shape.keys().isEmpty() && shape.repeats() == Shape.Repeats.ALLOWED) {
            return;
        }
        if (shape.repeats() == Shape.Repeats.REFUSED_AND_STAR_ALONE
                && sequence.items().size() > 1
                && sequence.items().stream().anyMatch(Fitting::isStar)) {
            refuse(sequence.at(), path, "cannot contain '*' alongside other values");
        }
        var seen = new HashSet<String>();
        for (int i = 0; i < sequence.items().size(); i++) {
            Node item = sequence.items().get(i);
            String key = shape.keys().isEmpty() ? CanonicalJson.print(item) : keyOf((Node.Mapping) item, shape);
            if (!seen.add(key)) {
                refuse(item.at(), path + "[" + i + "]", "is there twice: " + key.replace("\"", ""));
            }
        }
    }

    private static boolean isStar(Node item) {
        return item instanceof Node.Text text && text.value().equals("*");
    }

    private static String keyOf(Node.Mapping item, Shape.Items shape) {
        return shape.keys().stream()
                .map(key -> item.find(key).map(CanonicalJson::print).orElse(""))
                .collect(Collectors.joining("/"));
    }

    private Node table(Node node, Shape.Table shape, String path) {
        if (!(node instanceof Node.Mapping mapping)) {
            return wrong(node, "an object", path);
        }
        if (mapping.fields().size() > shape.most()) {
            refuse(node.at(), path, "has " + mapping.fields().size() + " entries, at most " + shape.most());
        }
        var fitted = new LinkedHashMap<String, Node.Entry>();
        mapping.fields().forEach((key, entry) -> {
            shape.keyRules().stream()
                    .filter(rule -> !rule.holds().test(key))
                    .forEach(rule -> refuse(entry.at(), child(path, key), rule.message()));
            if (!(entry.value() instanceof Node.Nothing)) {
                fitted.put(key, new Node.Entry(entry.at(), value(entry.value(), shape.value(), child(path, key))));
            } else if (shape.nulls() == Shape.Nulls.EMPTY_TEXT) {
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

    private static String nearest(String name, Shape.Fields shape) {
        return shape.byName().keySet().stream()
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
                standing == Standing.NEW
                        ? new Finding(Severity.ERROR, at, object, path, "unknown field" + hint)
                        : new Finding(Severity.WARNING, at, object, path, "unknown field, it has no effect" + hint));
    }

    private static String child(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
