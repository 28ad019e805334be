package dev.shellac.decode.tree;

import java.util.List;

/** What a file turned out to be. A file that breaks off in the middle is refused whole: half of it may be half-written. */
public sealed interface Document {
    /** All documents of the file. */
    record Parsed(List<Node> roots) implements Document {
        public Parsed {
            roots = List.copyOf(roots);
        }
    }

    /** Not YAML or JSON. */
    record Broken(Position at, String message) implements Document {}
}
