package dev.shellac.decode.tree;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One text for each value: keys sorted, no spaces. For parts that are handed on and never looked into. */
public final class CanonicalJson {
    private CanonicalJson() {}

    public static String print(Node node) {
        return switch (node) {
            case Node.Mapping mapping ->
                new TreeMap<>(mapping.fields())
                        .entrySet().stream().map(CanonicalJson::field).collect(Collectors.joining(",", "{", "}"));
            case Node.Sequence sequence ->
                sequence.items().stream().map(CanonicalJson::print).collect(Collectors.joining(",", "[", "]"));
            case Node.Text text -> quote(text.value());
            case Node.Whole whole -> Long.toString(whole.value());
            case Node.Fraction fraction -> fraction.literal();
            case Node.Flag flag -> Boolean.toString(flag.value());
            case Node.Nothing nothing -> "null";
        };
    }

    private static String field(Map.Entry<String, Node.Entry> field) {
        return quote(field.getKey()) + ":" + print(field.getValue().value());
    }

    private static String quote(String text) {
        var out = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c < ' ') {
                out.append("\\u%04x".formatted(c));
            } else {
                out.append((char) c);
            }
        });
        return out.append('"').toString();
    }
}
