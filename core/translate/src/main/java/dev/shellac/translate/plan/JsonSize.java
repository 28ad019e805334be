package dev.shellac.translate.plan;

import java.util.List;

/** How many bytes indented JSON takes, two spaces a level, each line counted with a comma. */
final class JsonSize {
    private JsonSize() {}

    /** A line with a bracket, or one that closes it. */
    static long bracket(int depth) {
        return line(depth) + 1;
    }

    static long object(int depth, String name, long content) {
        return field(depth, name, 1) + content + bracket(depth);
    }

    static long field(int depth, String name, long value) {
        return line(depth) + name.length() + 4 + value;
    }

    static long field(int depth, String name, String value) {
        return field(depth, name, text(value));
    }

    /** A number. */
    static long number(int depth, String name, long value) {
        return field(depth, name, digits(value));
    }

    /** A list, left out where it is empty. */
    static long texts(int depth, String name, List<String> values) {
        if (values.isEmpty()) {
            return 0;
        }
        long bytes = 0;
        for (String value : values) {
            bytes += line(depth + 1) + text(value);
        }
        return object(depth, name, bytes);
    }

    static long line(int depth) {
        return 2 + 2L * depth;
    }

    static long digits(long value) {
        return Long.toString(value).length();
    }

    /** In quotation marks, in UTF-8: control characters are written as six, a quotation mark and a backslash as two. */
    static long text(String text) {
        long bytes = 2;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ') {
                bytes += 6;
            } else if (c == '"' || c == '\\') {
                bytes += 2;
            } else {
                bytes += c < 0x80 ? 1 : 3;
            }
        }
        return bytes;
    }
}
