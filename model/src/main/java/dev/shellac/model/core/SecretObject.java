package dev.shellac.model.core;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import dev.shellac.model.Secret;
import java.util.Map;

/** A Secret of the cluster. */
public record SecretObject(Metadata meta, String secretType, Map<String, Secret> values) implements Resource {
    public SecretObject {
        values = Copies.of(values);
    }

    @Override
    public GroupKind type() {
        return GroupKind.SECRET;
    }
}
