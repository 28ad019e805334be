package dev.shellac.model.route;

/** How a rewrite or redirect changes the path. */
public sealed interface PathEdit {
    /** The whole path. */
    record Full(String path) implements PathEdit {}

    /** The matched prefix alone. */
    record Prefix(String replacement) implements PathEdit {}
}
