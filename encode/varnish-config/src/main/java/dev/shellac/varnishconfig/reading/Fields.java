package dev.shellac.varnishconfig.reading;

import java.util.Map;
import java.util.Optional;

/** Members by name, as far as they are of the type that is wanted. */
final class Fields {
    private Fields() {}

    static String text(Map<String, Json> members, String name) {
        return members.get(name) instanceof Json.Text text ? text.value() : "";
    }

    static Optional<Integer> number(Map<String, Json> members, String name) {
        return Optional.ofNullable(members.get(name)).flatMap(Fields::number);
    }

    static Optional<Integer> number(Json value) {
        try {
            return value instanceof Json.Literal literal
                    ? Optional.of(Integer.valueOf(literal.json()))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
