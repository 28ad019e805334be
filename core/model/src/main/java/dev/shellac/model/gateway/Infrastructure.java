package dev.shellac.model.gateway;

import dev.shellac.model.Copies;
import dev.shellac.model.ObjectRef;
import java.util.Map;
import java.util.Optional;

/** What the generated objects of a Gateway carry, and its parameters. */
public record Infrastructure(
        Map<String, String> labels, Map<String, String> annotations, Optional<ObjectRef> parameters) {
    public static final Infrastructure NONE = new Infrastructure(Map.of(), Map.of(), Optional.empty());

    public Infrastructure {
        labels = Copies.of(labels);
        annotations = Copies.of(annotations);
    }
}
