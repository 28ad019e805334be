package dev.shellac.model.core;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import java.util.Map;
import java.util.TreeMap;

/** A ConfigMap: its text. Binary entries are not kept, nothing here reads them. */
public record ConfigMap(Metadata meta, Map<String, String> texts) implements Resource {
    public ConfigMap {
        texts = Copies.of(texts);
    }

    /** The same with a text that it had once, for those who cannot do without. */
    public ConfigMap keeping(String key, String text, String why) {
        var all = new TreeMap<>(texts);
        all.put(key, text);
        return new ConfigMap(meta.withDecodeError(why), all);
    }

    @Override
    public GroupKind type() {
        return GroupKind.CONFIG_MAP;
    }
}
