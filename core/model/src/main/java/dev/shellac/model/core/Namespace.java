package dev.shellac.model.core;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;

/** A Namespace: its labels decide who may attach where. */
public record Namespace(Metadata meta) implements Resource {
    @Override
    public GroupKind type() {
        return GroupKind.NAMESPACE;
    }
}
