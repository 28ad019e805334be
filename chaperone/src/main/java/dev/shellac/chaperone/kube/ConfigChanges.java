package dev.shellac.chaperone.kube;

import java.util.Optional;

/**
 * What is known of the ConfigMap of changes. It says which file its changes are of, so that a pod never takes them for those of another: the two objects
 * are written one after the other, and seen in any order.
 *
 * @param isKnown whether it was looked for, or cannot be
 * @param wasThere whether it was there at any time
 */
record ConfigChanges(boolean isKnown, boolean wasThere, Optional<Text> now) {
    static final String BASE = "base";
    static final String CHANGES = "routing.changes.json";
    static final ConfigChanges UNKNOWN = new ConfigChanges(false, false, Optional.empty());

    /**
     * The changes.
     *
     * @param base the hash of the whole file that they are of
     */
    record Text(String base, String json) {}

    ConfigChanges seen(Optional<Node> configMap) {
        Optional<Text> text = configMap
                .map(found -> found.get("data"))
                .map(data -> new Text(data.get(BASE).text(), data.get(CHANGES).text()));
        return new ConfigChanges(true, wasThere || text.isPresent(), text);
    }

    /** It cannot be read, as by the rights that an earlier operator gave; what was seen of it stays. */
    ConfigChanges unread() {
        return new ConfigChanges(true, wasThere, now);
    }

    /** The file with its changes; nothing while it does not fit what is known of them. */
    Optional<RoutingFile> of(RoutingFile whole) {
        if (now.isPresent()) {
            return now.filter(text -> text.base().equals(whole.wholeHash())).map(text -> whole.with(text.json()));
        }
        return isKnown && !wasThere ? Optional.of(whole) : Optional.empty();
    }
}
