package dev.shellac.model;

import java.util.Optional;

/** A reference to an object by type and name; without a namespace it means that of the object that holds it. */
public record ObjectRef(GroupKind type, Optional<String> namespace, String name) {
    public ResourceId resolve(String home) {
        return ResourceId.of(type, namespace.orElse(home), name);
    }
}
