package dev.shellac.model.core;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import java.util.Map;

/** A ConfigMap: its text. Binary entries are not kept, nothing here reads them. */
public record ConfigMap(Metadata meta, Map<String, String> texts) implements Resource {
    public ConfigMap {
        texts = Copies.of(texts);
    }

    @Override
    public GroupKind type() {
        return GroupKind.CONFIG_MAP;
    }
}
