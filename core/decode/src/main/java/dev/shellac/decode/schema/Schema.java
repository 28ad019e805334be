package dev.shellac.decode.schema;

import dev.shellac.decode.tree.Node;
import dev.shellac.decode.tree.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a value must look like. Shapes are immutable; each method gives a narrower one. */
public sealed interface Schema {
    int NO_LIMIT = Integer.MAX_VALUE;

    static Text text() {
        return new Text(0, NO_LIMIT, Optional.empty(), List.of(), Optional.empty(), List.of());
    }

    static Whole whole() {
        return new Whole(Long.MIN_VALUE, Long.MAX_VALUE, List.of());
    }

    static Flag flag() {
        return new Flag();
    }

    static Items list(Schema item) {
        return new Items(item, 0, NO_LIMIT, List.of(), Repeats.ALLOWED, List.of());
    }

    static Table table(Schema value) {
        return new Table(value, NO_LIMIT, List.of(), Nulls.LEFT_OUT);
    }

    /** Fields of this object, and no others. */
    static Fields object(Field... fields) {
        var byName = new LinkedHashMap<String, Field>();
        for (Field field : fields) {
            byName.put(field.name(), field);
        }
        return new Fields(byName, Others.NAMED, List.of());
    }

    /** Anything, kept as it is. */
    static Anything anything() {
        return new Anything();
    }

    static WholeOrText wholeOrText() {
        return new WholeOrText(Optional.empty());
    }

    static Field required(String name, Schema schema) {
        return new Field(name, schema, true, Optional.empty(), "");
    }

    static Field optional(String name, Schema schema) {
        return new Field(name, schema, false, Optional.empty(), "");
    }

    /** A field that is filled in where it was left out. */
    static Field defaulted(String name, Schema schema, Object value) {
        return new Field(name, schema, false, Optional.of(value), "");
    }

    /**
     * A rule over a value whose parts are each right: the words that refuse it, and when it holds.
     *
     * @param cel the same rule for an API server, where the definition of the kind is ours to write
     */
    record Rule<T>(String message, Predicate<T> holds, Optional<String> cel, Enforcer enforcer) {
        static <T> Rule<T> plain(String message, Predicate<T> holds) {
            return new Rule<>(message, holds, Optional.empty(), Enforcer.DECODER);
        }
    }

    /** Who refuses what breaks a rule. */
    enum Enforcer {
        /** The decoder, whenever it reads it. */
        DECODER,
        /** Whoever lets new objects in. One that is stored already may break it; the translation says so in its status. */
        ADMISSION
    }

    /** A field of an object. The default is made of maps, lists, text, numbers and booleans. */
    record Field(String name, Schema schema, boolean isRequired, Optional<Object> fallback, String meaning) {
        /** With a sentence for those who ask what it is. */
        public Field means(String sentence) {
            return new Field(name, schema, isRequired, fallback, sentence);
        }
    }

    /** What becomes of fields that the shape does not know. */
    enum Others {
        NAMED,
        IGNORED,
        KEPT
    }

    /** Whether a list may hold a value twice. */
    enum Repeats {
        ALLOWED,
        REFUSED,
        /** None, and {@code *} only as the single item. */
        REFUSED_AND_STAR_ALONE
    }

    /** Text of a length, a pattern, one of a few, or in a format that OpenAPI has a name for. */
    record Text(
            int least,
            int most,
            Optional<TextPattern> pattern,
            List<String> oneOf,
            Optional<String> format,
            List<Rule<String>> rules)
            implements Schema {
        public Text length(int fewest, int greatest) {
            return new Text(fewest, greatest, pattern, oneOf, format, rules);
        }

        public Text most(int greatest) {
            return new Text(least, greatest, pattern, oneOf, format, rules);
        }

        public Text matching(TextPattern required) {
            return new Text(least, most, Optional.of(required), oneOf, format, rules);
        }

        public Text oneOf(String... values) {
            return new Text(least, most, pattern, List.of(values), format, rules);
        }

        public Text rule(String message, Predicate<String> holds) {
            return with(Rule.plain(message, holds));
        }

        /** A rule that an API server can hold too, over {@code self}. */
        public Text rule(String message, String cel, Predicate<String> holds) {
            return with(new Rule<>(message, holds, Optional.of(cel), Enforcer.DECODER));
        }

        /** The same, for new objects. */
        public Text admission(String message, String cel, Predicate<String> holds) {
            return with(new Rule<>(message, holds, Optional.of(cel), Enforcer.ADMISSION));
        }

        /** A format that an API server knows by this name, and how it is told here. */
        public Text format(String name, String message, Predicate<String> holds) {
            return new Text(least, most, pattern, oneOf, Optional.of(name), rules).with(Rule.plain(message, holds));
        }

        private Text with(Rule<String> rule) {
            return new Text(least, most, pattern, oneOf, format, joined(rules, rule));
        }
    }

    /**
     * A pattern of a CRD, and the expression that decides it here: the same language, without the backtracking that some of
     * the originals invite.
     */
    record TextPattern(String source, Pattern decider, String words) {
        public boolean accepts(String text) {
            // Java's $ also stands before a last line feed, which the API server's does not.
            return !text.endsWith("\n") && decider.matcher(text).find();
        }
    }

    /** A whole number in a range, or one of a few. */
    record Whole(long least, long most, List<Long> oneOf) implements Schema {
        public Whole between(long smallest, long greatest) {
            return new Whole(smallest, greatest, oneOf);
        }

        public Whole least(long smallest) {
            return new Whole(smallest, most, oneOf);
        }

        public Whole oneOf(long... values) {
            return new Whole(least, most, Arrays.stream(values).boxed().toList());
        }
    }

    /** True or false. */
    record Flag() implements Schema {}

    /** A list; {@code keys} name the fields that tell its objects apart. */
    record Items(
            Schema item, int least, int most, List<String> keys, Repeats repeats, List<Rule<List<ValidObject>>> rules)
            implements Schema {
        public Items size(int fewest, int greatest) {
            return new Items(item, fewest, greatest, keys, repeats, rules);
        }

        public Items most(int greatest) {
            return new Items(item, least, greatest, keys, repeats, rules);
        }

        public Items uniqueBy(String... fields) {
            return new Items(item, least, most, List.of(fields), repeats, rules);
        }

        public Items distinct() {
            return new Items(item, least, most, keys, Repeats.REFUSED, rules);
        }

        /** Texts, none twice, in which {@code *} says it all. */
        public Items starAlone() {
            return new Items(item, least, most, keys, Repeats.REFUSED_AND_STAR_ALONE, rules);
        }

        /** A rule over a list of objects. */
        public Items rule(String message, Predicate<List<ValidObject>> holds) {
            return new Items(item, least, most, keys, repeats, joined(rules, Rule.plain(message, holds)));
        }
    }

    /** What an entry without a value is. */
    enum Nulls {
        LEFT_OUT,
        EMPTY_TEXT
    }

    /** Text keys of any name, and their values. */
    record Table(Schema value, int most, List<Rule<String>> keyRules, Nulls nulls) implements Schema {
        public Table most(int greatest) {
            return new Table(value, greatest, keyRules, nulls);
        }

        /** As the API server has it for the kinds that it is built with; for all others it leaves them out. */
        public Table nullsAreEmptyText() {
            return new Table(value, most, keyRules, Nulls.EMPTY_TEXT);
        }

        public Table keys(String message, Predicate<String> holds) {
            return new Table(value, most, joined(keyRules, Rule.plain(message, holds)), nulls);
        }
    }

    /** Named fields. */
    record Fields(Map<String, Field> byName, Others others, List<Rule<ValidObject>> rules) implements Schema {
        public Fields rule(String message, Predicate<ValidObject> holds) {
            return new Fields(byName, others, joined(rules, Rule.plain(message, holds)));
        }

        /** A rule that an API server can hold too, over {@code self}. */
        public Fields rule(String message, String cel, Predicate<ValidObject> holds) {
            return new Fields(
                    byName, others, joined(rules, new Rule<>(message, holds, Optional.of(cel), Enforcer.DECODER)));
        }

        /** The same, for new objects. */
        public Fields admission(String message, String cel, Predicate<ValidObject> holds) {
            return new Fields(
                    byName, others, joined(rules, new Rule<>(message, holds, Optional.of(cel), Enforcer.ADMISSION)));
        }

        /** Fields beside these are handed on as they are. */
        public Fields keepingOthers() {
            return new Fields(byName, Others.KEPT, rules);
        }

        /** Fields beside these are none of our business. */
        public Fields open() {
            return new Fields(byName, Others.IGNORED, rules);
        }
    }

    /** Anything. */
    record Anything() implements Schema {}

    /** A number or text, as Kubernetes has it for ports and quantities; the pattern is that of the text. */
    record WholeOrText(Optional<TextPattern> pattern) implements Schema {
        public WholeOrText matching(TextPattern required) {
            return new WholeOrText(Optional.of(required));
        }
    }

    private static <T> List<T> joined(List<T> list, T last) {
        return Stream.concat(list.stream(), Stream.of(last)).toList();
    }

    /** A default as a tree that stands where it was needed. */
    static Node tree(Object value, Position at) {
        return switch (value) {
            case String text -> new Node.Text(at, text);
            case Integer whole -> new Node.Whole(at, whole);
            case Boolean flag -> new Node.Flag(at, flag);
            case List<?> list ->
                new Node.Sequence(
                        at,
                        new ArrayList<>(
                                list.stream().map(item -> tree(item, at)).toList()));
            case Map<?, ?> map -> {
                var fields = new LinkedHashMap<String, Node.Entry>();
                map.forEach((name, item) -> fields.put(String.valueOf(name), new Node.Entry(at, tree(item, at))));
                yield new Node.Mapping(at, fields);
            }
            default -> throw new IllegalArgumentException("no default can be " + value.getClass());
        };
    }
}
