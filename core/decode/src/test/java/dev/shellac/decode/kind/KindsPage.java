package dev.shellac.decode.kind;

import dev.shellac.decode.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The fields of our kinds as a page. */
final class KindsPage {
    private KindsPage() {}

    static String text() {
        var page = new StringBuilder("""
                # Our kinds

                Of `gateway.varnish-software.com/v1alpha1`. Generated from the shapes of the decoder; `CrdFilesTest` holds it to them. `kubectl explain` says the same.
                """);
        for (CrdFile file : CrdFile.ALL) {
            KindDecoder decoder = Kinds.find(file.type()).orElseThrow();
            page.append("\n## ").append(file.type().kind()).append("\n\n").append(file.words());
            page.append(" Short name `")
                    .append(file.shortName())
                    .append("`, ")
                    .append(decoder.scope().name().toLowerCase(Locale.ROOT))
                    .append(" scope.\n\n| field | | |\n|---|---|---|\n");
            Schema.Field spec = decoder.schema().byName().get("spec");
            if (spec != null && spec.schema() instanceof Schema.Fields fields) {
                rows("", fields).forEach(page::append);
                rules("spec", fields).forEach(page::append);
            }
        }
        return page.toString();
    }

    private static List<String> rows(String prefix, Schema.Fields fields) {
        var rows = new ArrayList<String>();
        for (Schema.Field field : fields.byName().values()) {
            String path = prefix + field.name();
            rows.add("| `" + path + "` | " + type(field) + " | " + field.meaning() + " |\n");
            Schema inner = field.schema() instanceof Schema.Items items ? items.item() : field.schema();
            if (inner instanceof Schema.Fields below) {
                rows.addAll(rows(path + (field.schema() instanceof Schema.Items ? "[]." : "."), below));
            }
        }
        return rows;
    }

    private static List<String> rules(String path, Schema.Fields fields) {
        var rules = new ArrayList<String>();
        fields.rules().forEach(rule -> rules.add("\n* `" + path + "`: " + rule.message()));
        fields.byName().values().forEach(field -> {
            if (field.schema() instanceof Schema.Fields below) {
                rules.addAll(rules(path + "." + field.name(), below));
            }
        });
        return path.equals("spec") && !rules.isEmpty()
                ? List.of(String.join("", rules).replaceFirst("^\n", "\n") + "\n")
                : rules;
    }

    private static String type(Schema.Field field) {
        String required = field.isRequired() ? ", required" : "";
        String fallback =
                field.fallback().map(value -> ", default `" + value + "`").orElse("");
        return name(field.schema()) + required + fallback;
    }

    private static String name(Schema schema) {
        return switch (schema) {
            case Schema.Text text -> text.oneOf().isEmpty() ? "text" : "`" + String.join("`, `", text.oneOf()) + "`";
            case Schema.Whole whole -> "number";
            case Schema.Flag flag -> "true or false";
            case Schema.Items items -> "list of " + (items.item() instanceof Schema.Text ? "texts" : "objects");
            case Schema.Table table -> "texts by name";
            case Schema.Fields fields -> fields.byName().isEmpty() ? "as Kubernetes has it" : "object";
            case Schema.WholeOrText either -> "number or text";
            case Schema.Anything anything -> "anything";
        };
    }
}
