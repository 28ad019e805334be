package dev.shellac.model.persistent;

import java.util.Optional;

/** What became of a key between two maps: a value that is new, gone, or another. */
public record Change<K, V>(K key, Optional<V> before, Optional<V> after) {
    /** The key came or went. */
    public boolean isOfPresence() {
        return before.isPresent() != after.isPresent();
    }
}
