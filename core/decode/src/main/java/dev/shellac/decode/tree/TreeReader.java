package dev.shellac.decode.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;

/** Reads the text of one file. */
public final class TreeReader {
    /** The most that is read of a file. */
    public static final int MOST_BYTES = 4 * 1024 * 1024;

    private static final int MOST_DEPTH = 100;
    private static final Map<String, Boolean> TRUE_OR_FALSE = Map.of("y", true, "Y", true, "n", false, "N", false);
    private static final Pattern ODD_NUMBER = Pattern.compile("0o[0-7]{1,20}|0X[0-9a-fA-F]{1,15}");
    private static final JsonFactory YAML = YAMLFactory.builder()
            .loaderOptions(limits())
            // "a:" is null, as everywhere else; the builder starts without it.
            .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** How a file is written. */
    public enum Syntax {
        YAML,
        JSON;

        /** By the end of its name; what is not called JSON is read as YAML, which takes most JSON too. */
        public static Syntax of(String file) {
            return file.endsWith(".json") ? JSON : YAML;
        }
    }

    private final String file;
    private final byte[] bytes;
    private final JsonParser parser;
    private String text = "";
    private int codePoints;
    private int index;

    private TreeReader(String file, byte[] bytes, JsonParser parser) {
        this.file = file;
        this.bytes = bytes;
        this.parser = parser;
    }

    public static Document read(String file, byte[] bytes, Syntax syntax) {
        if (bytes.length > MOST_BYTES) {
            return new Document.Broken(
                    new Position(file, 1),
                    "the file has " + bytes.length + " bytes; at most " + MOST_BYTES + " are read: split it");
        }
        JsonFactory factory = syntax == Syntax.JSON ? JSON : YAML;
        try (JsonParser parser = factory.createParser(bytes)) {
            return new TreeReader(file, bytes, parser).documents();
        } catch (JsonProcessingException e) {
            return new Document.Broken(at(file, e.getLocation()), words(e.getOriginalMessage()));
        } catch (IOException e) {
            // The bytes are in memory: what still fails is their decoding.
            return new Document.Broken(new Position(file, 1), "not UTF-8 text: " + e.getMessage());
        }
    }

    private Document documents() throws IOException {
        var roots = new ArrayList<Node>();
        while (parser.nextToken() != null) {
            Node root = value(0);
            if (!(root instanceof Node.Nothing)) {
                roots.add(root);
            }
        }
        return new Document.Parsed(roots);
    }

    private Node value(int depth) throws IOException {
        Position here = here();
        if (depth > MOST_DEPTH) {
            throw refused("nested deeper than " + MOST_DEPTH);
        }
        if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
            throw refused("an alias (*name): aliases are not read, write the value out");
        }
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> mapping(here, depth);
            case START_ARRAY -> sequence(here, depth);
            case VALUE_STRING -> word(here, parser.getText());
            case VALUE_NUMBER_INT -> whole(here);
            case VALUE_NUMBER_FLOAT -> new Node.Fraction(here, parser.getText());
            case VALUE_TRUE -> new Node.Flag(here, true);
            case VALUE_FALSE -> new Node.Flag(here, false);
            case VALUE_NULL -> new Node.Nothing(here);
            default -> throw refused("unexpected " + token);
        };
    }

    // YAML 1.1, which the API server and kubectl read, has more words for truth than our parser, and a letter more for
    // bases of numbers. In quotes they are text, and there the token begins with the quote.
    private Node word(Position here, String text) {
        boolean odd =
                TRUE_OR_FALSE.containsKey(text) || ODD_NUMBER.matcher(text).matches();
        if (!odd || !(parser instanceof YAMLParser) || !isPlain(text)) {
            return new Node.Text(here, text);
        }
        return TRUE_OR_FALSE.containsKey(text)
                ? new Node.Flag(here, TRUE_OR_FALSE.getOrDefault(text, false))
                : new Node.Whole(here, Long.parseLong(text.substring(2), text.charAt(1) == 'o' ? 8 : 16));
    }

    // The parser counts code points. Tokens come in order, so the count goes on from the last one that was asked about.
    private boolean isPlain(String word) {
        if (text.isEmpty()) {
            text = new String(bytes, StandardCharsets.UTF_8);
        }
        int wanted = (int) parser.currentTokenLocation().getCharOffset();
        index = text.offsetByCodePoints(index, wanted - codePoints);
        codePoints = wanted;
        return text.startsWith(word, index);
    }

    private Node mapping(Position here, int depth) throws IOException {
        var fields = new LinkedHashMap<String, Node.Entry>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            Position at = here();
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, new Node.Entry(at, value(depth + 1)));
        }
        return new Node.Mapping(here, fields);
    }

    private Node sequence(Position here, int depth) throws IOException {
        List<Node> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(depth + 1));
        }
        return new Node.Sequence(here, items);
    }

    private Node whole(Position here) throws IOException {
        return switch (parser.getNumberType()) {
            case INT, LONG -> new Node.Whole(here, parser.getLongValue());
            default -> new Node.Fraction(here, parser.getText());
        };
    }

    private Position here() {
        return at(file, parser.currentTokenLocation());
    }

    private JsonProcessingException refused(String message) {
        return new Refused(message, parser.currentTokenLocation());
    }

    private static Position at(String file, JsonLocation location) {
        return new Position(file, Math.max(1, location == null ? 1 : location.getLineNr()));
    }

    // Lines that are indented say where, which is known, and show the text.
    private static String words(String message) {
        return message.lines()
                .filter(line -> !line.startsWith(" "))
                .map(String::strip)
                .collect(Collectors.joining(": "));
    }

    private static LoaderOptions limits() {
        var options = new LoaderOptions();
        options.setCodePointLimit(MOST_BYTES);
        return options;
    }

    /** What the parser takes and we do not. */
    private static final class Refused extends JsonProcessingException {
        private static final long serialVersionUID = 1;

        Refused(String message, JsonLocation location) {
            super(message, location);
        }
    }
}
