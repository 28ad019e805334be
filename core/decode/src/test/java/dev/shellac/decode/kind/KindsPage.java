package dev.shellac.decode.kind;

import dev.shellac.decode.shape.Shape;
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
            Shape.Field spec = decoder.shape().byName().get("spec");
            if (spec != null && spec.shape() instanceof Shape.Fields fields) {
                rows("", fields).forEach(page::append);
                rules("spec", fields).forEach(page::append);
            }
        }
        return page.toString();
    }

    private static List<String> rows(String prefix, Shape.Fields fields) {
        var rows = new ArrayList<String>();
        for (Shape.Field field : fields.byName().values()) {
            String path = prefix + field.name();
            rows.add("| `" + path + "` | " + type(field) + " | " + field.meaning() + " |\n");
            Shape inner = field.shape() instanceof Shape.Items items ? items.item() : field.shape();
            if (inner instanceof Shape.Fields below) {
                rows.addAll(rows(path + (field.shape() instanceof Shape.Items ? "[]." : "."), below));
            }
        }
        return rows;
    }

    private static List<String> rules(String path, Shape.Fields fields) {
        var rules = new ArrayList<String>();
        fields.rules().forEach(rule -> rules.add("\n* `" + path + "`: " + rule.message()));
        fields.byName().values().forEach(field -> {
            if (field.shape() instanceof Shape.Fields below) {
                rules.addAll(rules(path + "." + field.name(), below));
            }
        });
        return path.equals("spec") && !rules.isEmpty()
                ? List.of(String.join("", rules).replaceFirst("^\n", "\n") + "\n")
                : rules;
    }

    private static String type(Shape.Field field) {
        String required = field.isRequired() ? ", required" : "";
        String fallback =
                field.fallback().map(value -> ", default `" + value + "`").orElse("");
        return name(field.shape()) + required + fallback;
    }

    private static String name(Shape shape) {
        return switch (shape) {
            case Shape.Text text -> text.oneOf().isEmpty() ? "text" : "`" + String.join("`, `", text.oneOf()) + "`";
            case Shape.Whole whole -> "number";
            case Shape.Flag flag -> "true or false";
            case Shape.Items items -> "list of " + (items.item() instanceof Shape.Text ? "texts" : "objects");
            case Shape.Table table -> "texts by name";
            case Shape.Fields fields -> fields.byName().isEmpty() ? "as Kubernetes has it" : "object";
            case Shape.WholeOrText either -> "number or text";
            case Shape.Anything anything -> "anything";
        };
    }
}
