package dev.shellac.testkit.house;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folders at the root that hold modules, each a layer of the architecture, the lowest first. A module may use
 * modules of its own folder and of lower ones; {@link Layer} says which of them.
 */
enum LayerFolder {
    CORE,
    ENCODE,
    RUNTIME,
    APPS,
    DEV;

    /** The folder of a module that is directly in one; the path is as in the root pom. */
    static Optional<LayerFolder> of(String path) {
        return Stream.of(values())
                .filter(folder -> path.startsWith(folder + "/") && path.indexOf('/') == path.lastIndexOf('/'))
                .findFirst();
    }

    boolean mayUse(LayerFolder other) {
        return other.compareTo(this) <= 0;
    }

    List<LayerFolder> usable() {
        return Stream.of(values()).filter(this::mayUse).toList();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
