package dev.shellac.model.route;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import java.util.Optional;

/** What a route wants to attach to: a Gateway or ListenerSet, or only a listener or port of it. */
public record ParentRef(
        GroupKind type, Optional<String> namespace, String name, Optional<String> sectionName, Optional<Port> port) {
    public static ParentRef to(ResourceId id) {
        return new ParentRef(
                id.type(), Optional.of(id.namespace()), id.name().name(), Optional.empty(), Optional.empty());
    }

    public ResourceId resolve(String home) {
        return ResourceId.of(type, namespace.orElse(home), name);
    }
}
