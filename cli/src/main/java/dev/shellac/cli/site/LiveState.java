package dev.shellac.cli.site;

import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import java.util.Map;

/** What the data planes that serve a folder say right now. */
@FunctionalInterface
public interface LiveState {
    /** Nothing runs. */
    LiveState NONE = Map::of;

    /** By Gateway; none for one that does not run. */
    Map<Name, DataPlane> reports();
}
