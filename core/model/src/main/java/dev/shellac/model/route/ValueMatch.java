package dev.shellac.model.route;

/** How the value of a header or query parameter is matched. */
public sealed interface ValueMatch {
    /** Equal. */
    record Exact(String value) implements ValueMatch {}

    /** By a regular expression; the data plane decides whether it has to cover the whole value. */
    record Pattern(String regex) implements ValueMatch {}
}
