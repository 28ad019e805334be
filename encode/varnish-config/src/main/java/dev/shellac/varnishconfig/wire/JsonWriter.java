package dev.shellac.varnishconfig.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * JSON in the order of the calls, on one line or indented. It writes into memory and cannot fail, which the generators of the
 * libraries do not promise.
 */
public final class JsonWriter {
    private static final String HEX = "0123456789abcdef";
    private static final char REPLACEMENT = '\ufffd';

    private final StringBuilder out = new StringBuilder();
    private final int indent;
    private int depth;
    private boolean separate;
    private boolean afterName;

    private JsonWriter(int indent, int depth) {
        this.indent = indent;
        this.depth = depth;
    }

    public static JsonWriter compact() {
        return new JsonWriter(0, 0);
    }

    /** Two spaces a level, for a value that stands inside {@code depth} others. */
    public static JsonWriter indented(int depth) {
        return new JsonWriter(2, depth);
    }

    public JsonWriter open(char bracket) {
        before();
        out.append(bracket);
        depth++;
        separate = false;
        return this;
    }

    public JsonWriter close(char bracket) {
        depth--;
        if (separate) {
            line();
        }
        out.append(bracket);
        separate = true;
        return this;
    }

    public JsonWriter name(String name) {
        before();
        quote(name);
        out.append(indent > 0 ? ": " : ":");
        separate = false;
        afterName = true;
        return this;
    }

    public JsonWriter text(String value) {
        before();
        quote(value);
        separate = true;
        return this;
    }

    public JsonWriter number(long value) {
        return literal(Long.toString(value));
    }

    public JsonWriter flag(boolean value) {
        return literal(Boolean.toString(value));
    }

    /** A value that is JSON already. */
    public JsonWriter literal(String json) {
        before();
        out.append(json);
        separate = true;
        return this;
    }

    public JsonWriter field(String name, String value) {
        return name(name).text(value);
    }

    public JsonWriter field(String name, long value) {
        return name(name).number(value);
    }

    /** A list, left out where it is empty. */
    public JsonWriter field(String name, List<String> values) {
        if (!values.isEmpty()) {
            name(name).open('[');
            values.forEach(this::text);
            close(']');
        }
        return this;
    }

    public Chunk chunk() {
        return Chunk.of(out.toString());
    }

    public byte[] bytes() {
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return out.toString();
    }

    private void before() {
        if (afterName) {
            afterName = false;
            return;
        }
        if (separate) {
            out.append(',');
        }
        if (!out.isEmpty()) {
            line();
        }
    }

    private void line() {
        if (indent > 0) {
            out.append('\n').repeat(' ', depth * indent);
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            } else if (!Character.isSurrogate(c)) {
                out.append(c);
            } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
                out.append(c).append(text.charAt(++i));
            } else {
                // Half a character has no bytes. One bad text must not cost the table.
                out.append(REPLACEMENT);
            }
        }
        out.append('"');
    }
}
