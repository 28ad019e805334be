package dev.shellac.explain.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A value of a table whose fields are all optional. One that is null is absent. */
record Json(JsonNode node) {
    Optional<Json> find(String field) {
        return Optional.ofNullable(node.get(field))
                .filter(value -> !value.isNull())
                .map(Json::new);
    }

    Optional<String> text(String field) {
        return find(field).map(value -> value.node.asText());
    }

    Optional<Long> number(String field) {
        return find(field).map(value -> value.node.asLong());
    }

    Optional<Integer> small(String field) {
        return number(field).map(Math::toIntExact);
    }

    boolean flag(String field) {
        return find(field).map(value -> value.node.asBoolean()).orElse(false);
    }

    List<Json> list(String field) {
        var items = new ArrayList<Json>();
        find(field).ifPresent(value -> value.node.forEach(item -> items.add(new Json(item))));
        return items;
    }

    List<String> texts(String field) {
        return list(field).stream().map(item -> item.node.asText()).toList();
    }

    Map<String, Json> members() {
        var members = new LinkedHashMap<String, Json>();
        node.properties().forEach(member -> members.put(member.getKey(), new Json(member.getValue())));
        return members;
    }
}
