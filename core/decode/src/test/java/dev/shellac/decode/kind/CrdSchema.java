package dev.shellac.decode.kind;

import dev.shellac.decode.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A shape as OpenAPI has it in a definition: what the decoder asks for, an API server asks for too. */
final class CrdSchema {
    private static final String RULES = "x-kubernetes-validations";
    private static final String KEEP = "x-kubernetes-preserve-unknown-fields";
    private static final String LIST = "x-kubernetes-list-type";

    private CrdSchema() {}

    static Map<String, Object> of(Schema schema) {
        return switch (schema) {
            case Schema.Text text -> text(text);
            case Schema.Whole whole -> whole(whole);
            case Schema.Flag flag -> typed("boolean");
            case Schema.Items items -> items(items);
            case Schema.Table table -> table(table);
            case Schema.Fields fields -> fields(fields);
            case Schema.WholeOrText either -> wholeOrText(either);
            case Schema.Anything anything -> new LinkedHashMap<>(Map.of(KEEP, true));
        };
    }

    private static Map<String, Object> typed(String type) {
        var schema = new LinkedHashMap<String, Object>();
        schema.put("type", type);
        return schema;
    }

    private static Map<String, Object> text(Schema.Text text) {
        Map<String, Object> schema = typed("string");
        text.format().ifPresent(format -> schema.put("format", format));
        text.pattern().ifPresent(pattern -> schema.put("pattern", pattern.source()));
        if (text.least() > 0) {
            schema.put("minLength", text.least());
        }
        limit(schema, "maxLength", text.most());
        if (!text.oneOf().isEmpty()) {
            schema.put("enum", text.oneOf());
        }
        // A rule without words for an API server is one that its format says there.
        rules(schema, text.rules(), text.format().isPresent());
        return schema;
    }

    private static Map<String, Object> whole(Schema.Whole whole) {
        Map<String, Object> schema = typed("integer");
        schema.put("format", whole.most() <= Integer.MAX_VALUE ? "int32" : "int64");
        if (whole.least() > Long.MIN_VALUE) {
            schema.put("minimum", whole.least());
        }
        if (whole.most() < Integer.MAX_VALUE) {
            schema.put("maximum", whole.most());
        }
        return schema;
    }

    private static Map<String, Object> items(Schema.Items items) {
        Map<String, Object> schema = typed("array");
        if (items.least() > 0) {
            schema.put("minItems", items.least());
        }
        limit(schema, "maxItems", items.most());
        if (items.keys().isEmpty()) {
            schema.put(LIST, items.repeats() == Schema.Repeats.ALLOWED ? "atomic" : "set");
        } else {
            schema.put(LIST, "map");
            schema.put("x-kubernetes-list-map-keys", items.keys());
        }
        rules(schema, items.rules(), false);
        schema.put("items", of(items.item()));
        return schema;
    }

    private static Map<String, Object> table(Schema.Table table) {
        Map<String, Object> schema = typed("object");
        limit(schema, "maxProperties", table.most());
        rules(schema, table.keyRules(), false);
        schema.put("additionalProperties", of(table.value()));
        return schema;
    }

    private static Map<String, Object> fields(Schema.Fields fields) {
        Map<String, Object> schema = typed("object");
        if (fields.others() != Schema.Others.NAMED) {
            schema.put(KEEP, true);
        }
        List<String> required = fields.byName().values().stream()
                .filter(Schema.Field::isRequired)
                .map(Schema.Field::name)
                .toList();
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        rules(schema, fields.rules(), false);
        if (!fields.byName().isEmpty()) {
            schema.put("properties", properties(fields));
        }
        return schema;
    }

    static Map<String, Object> properties(Schema.Fields fields) {
        var properties = new LinkedHashMap<String, Object>();
        fields.byName().forEach((name, field) -> properties.put(name, field(field)));
        return properties;
    }

    private static Map<String, Object> field(Schema.Field field) {
        var schema = new LinkedHashMap<String, Object>();
        if (!field.meaning().isEmpty()) {
            schema.put("description", field.meaning());
        }
        field.fallback().ifPresent(value -> schema.put("default", value));
        schema.putAll(of(field.schema()));
        return schema;
    }

    private static Map<String, Object> wholeOrText(Schema.WholeOrText either) {
        var schema = new LinkedHashMap<String, Object>();
        schema.put("anyOf", List.of(Map.of("type", "integer"), Map.of("type", "string")));
        either.pattern().ifPresent(pattern -> schema.put("pattern", pattern.source()));
        schema.put("x-kubernetes-int-or-string", true);
        return schema;
    }

    private static <T> void rules(Map<String, Object> schema, List<Schema.Rule<T>> rules, boolean mayBeSilent) {
        var written = new ArrayList<Map<String, Object>>();
        for (Schema.Rule<T> rule : rules) {
            Optional<String> cel = rule.cel();
            if (cel.isPresent()) {
                written.add(rule(cel.get(), rule.message()));
            } else if (!mayBeSilent) {
                throw new AssertionError("no API server holds this: " + rule.message());
            }
        }
        if (!written.isEmpty()) {
            schema.put(RULES, written);
        }
    }

    static Map<String, Object> rule(String cel, String message) {
        var rule = new LinkedHashMap<String, Object>();
        rule.put("rule", cel);
        rule.put("message", message);
        return rule;
    }

    private static void limit(Map<String, Object> schema, String name, int most) {
        if (most != Schema.NO_LIMIT) {
            schema.put(name, most);
        }
    }
}
