package dev.shellac.model.route;

/** How a path is matched. */
public sealed interface PathMatch {
    PathMatch EVERYTHING = new Prefix("/");

    /** Equal, byte for byte. */
    record Exact(String path) implements PathMatch {}

    /** Equal up to the boundary of a path element; a trailing slash says nothing. */
    record Prefix(String path) implements PathMatch {
        /** The prefix without its trailing slash; nothing is left of the root, which takes every path. */
        public String elements() {
            return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        }

        public boolean isRoot() {
            return elements().isEmpty();
        }
    }

    /** By a regular expression; the data plane decides whether it has to cover the whole path. */
    record Pattern(String regex) implements PathMatch {}
}
