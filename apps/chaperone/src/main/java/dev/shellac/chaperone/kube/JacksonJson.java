package dev.shellac.chaperone.kube;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.shellac.varnishconfig.reading.Json;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Set;

/** JSON by Jackson's streaming parser, which is all of Jackson that is here. */
public final class JacksonJson implements Json.Parser {
    static final JsonFactory FACTORY = new JsonFactory();

    // Half of what an API server sends, and of no use to a reader.
    private static final Set<String> SKIPPED = Set.of("managedFields");

    @Override
    public Json parse(byte[] bytes, int from, int length) throws RoutingFormatException {
        try (JsonParser parser = FACTORY.createParser(bytes, from, length)) {
            parser.nextToken();
            Json value = value(parser);
            if (parser.nextToken() != null) {
                throw new RoutingFormatException("more than one value");
            }
            return value;
        } catch (IOException e) {
            throw new RoutingFormatException(
                    String.valueOf(e.getMessage()).lines().findFirst().orElse("not JSON"));
        }
    }

    /** The value that begins at the present token; the parser is left at its last. */
    static Json value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new IOException("it ends too early");
        }
        return switch (token) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> {
                var items = new ArrayList<Json>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield new Json.Items(items);
            }
            case VALUE_STRING -> new Json.Text(parser.getText());
            default -> new Json.Literal(parser.getText());
        };
    }

    private static Json members(JsonParser parser) throws IOException {
        var members = new LinkedHashMap<String, Json>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            if (SKIPPED.contains(name)) {
                parser.skipChildren();
            } else {
                members.put(name, value(parser));
            }
        }
        return new Json.Members(members);
    }
}
