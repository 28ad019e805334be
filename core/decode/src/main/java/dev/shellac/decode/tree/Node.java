package dev.shellac.decode.tree;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A parsed value and where it was written. */
public sealed interface Node {
    Position at();

    /** What a person calls it: {@code text}, {@code a list}… */
    String noun();

    /** Fields in the order of the file. */
    record Mapping(Position at, Map<String, Entry> fields) implements Node {
        public Mapping {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        /** A field that is there and is not null: Kubernetes drops nulls before it looks for defaults. */
        public Optional<Node> find(String field) {
            return Optional.ofNullable(fields.get(field))
                    .map(Entry::value)
                    .filter(value -> !(value instanceof Nothing));
        }

        @Override
        public String noun() {
            return "an object";
        }
    }

    /** A field; its own position is that of its name. */
    record Entry(Position at, Node value) {}

    /** A list. */
    record Sequence(Position at, List<Node> items) implements Node {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String noun() {
            return "a list";
        }
    }

    /** Text. */
    record Text(Position at, String value) implements Node {
        @Override
        public String noun() {
            return "text";
        }
    }

    /** A whole number. */
    record Whole(Position at, long value) implements Node {
        @Override
        public String noun() {
            return "a number";
        }
    }

    /** A number that is not whole, or too large to be one of ours; kept as it was written. */
    record Fraction(Position at, String literal) implements Node {
        @Override
        public String noun() {
            return "a number with a fraction";
        }
    }

    /** True or false. */
    record Flag(Position at, boolean value) implements Node {
        @Override
        public String noun() {
            return "true or false";
        }
    }

    /** Null, or nothing at all. */
    record Nothing(Position at) implements Node {
        @Override
        public String noun() {
            return "nothing";
        }
    }
}
