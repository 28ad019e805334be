package dev.shellac.chaperone.kube;

import dev.shellac.varnishconfig.reading.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A value inside an object of the API; what is not there, or of another type, is empty. */
record Node(Optional<Json> json) {
    static Node of(Json json) {
        return new Node(Optional.of(json));
    }

    Map<String, Json> members() {
        return json.orElse(null) instanceof Json.Members found ? found.members() : Map.of();
    }

    Node get(String name) {
        return new Node(Optional.ofNullable(members().get(name)));
    }

    List<Node> items() {
        return json.orElse(null) instanceof Json.Items found
                ? found.items().stream().map(Node::of).toList()
                : List.of();
    }

    String text() {
        return json.orElse(null) instanceof Json.Text found ? found.value() : "";
    }

    Optional<Integer> number() {
        try {
            return json.orElse(null) instanceof Json.Literal found
                    ? Optional.of(Integer.valueOf(found.json()))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    Optional<Boolean> flag() {
        return json.orElse(null) instanceof Json.Literal found
                        && (found.json().equals("true") || found.json().equals("false"))
                ? Optional.of(Boolean.valueOf(found.json()))
                : Optional.empty();
    }
}
