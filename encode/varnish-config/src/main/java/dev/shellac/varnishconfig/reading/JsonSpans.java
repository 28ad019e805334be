package dev.shellac.varnishconfig.reading;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the members of an object, or the items of an array, begin and end. It looks at quotes and brackets alone, which is several times less work than parsing;
 * what a span holds is for a parser to check, if it is looked at.
 */
final class JsonSpans {
    /** The bytes of a value. */
    static final class Span {
        static final Span EMPTY = new Span(new byte[0], 0, 0);

        private final byte[] file;
        private final int from;
        private final int to;

        Span(byte[] file, int from, int to) {
            this.file = file;
            this.from = from;
            this.to = to;
        }

        /** The same bytes without the rest of the file, for whoever keeps them longer than the file. */
        Span alone() {
            return new Span(Arrays.copyOfRange(file, from, to), 0, to - from);
        }

        boolean sameBytes(Span other) {
            return Arrays.equals(file, from, to, other.file, other.from, other.to);
        }

        int length() {
            return to - from;
        }

        byte at(int place) {
            return file[from + place];
        }

        String text(int start, int end) {
            return new String(file, from + start, end - start, UTF_8);
        }

        boolean sameBytes(int start, int end, Span other, int otherStart) {
            int place = other.from + otherStart;
            return Arrays.equals(file, from + start, from + end, other.file, place, place + end - start);
        }

        int hash(int start, int end) {
            int hash = 1;
            for (int i = from + start; i < from + end; i++) {
                hash = 31 * hash + file[i];
            }
            return hash;
        }

        int lastIndexOf(byte[] wanted) {
            for (int i = to - wanted.length; i >= from; i--) {
                if (Arrays.equals(file, i, i + wanted.length, wanted, 0, wanted.length)) {
                    return i - from;
                }
            }
            return -1;
        }

        Json parse(Json.Parser parser) throws RoutingFormatException {
            return parser.parse(file, from, to - from);
        }
    }

    private final byte[] file;
    private final int end;
    private final Json.Parser parser;
    private int at;

    private JsonSpans(Span object, Json.Parser parser) {
        this.file = object.file;
        this.at = object.from;
        this.end = object.to;
        this.parser = parser;
    }

    static Map<String, Span> of(Span object, Json.Parser parser) throws RoutingFormatException {
        return new JsonSpans(object, parser).members();
    }

    /** The items of an array. */
    static List<Span> items(Span array, Json.Parser parser) throws RoutingFormatException {
        return new JsonSpans(array, parser).items();
    }

    private List<Span> items() throws RoutingFormatException {
        var items = new ArrayList<Span>();
        expect('[');
        if (peek() == ']') {
            at++;
        } else {
            do {
                items.add(value());
            } while (next() == ',');
            if (file[at - 1] != ']') {
                throw fault("] expected");
            }
        }
        return items;
    }

    private Map<String, Span> members() throws RoutingFormatException {
        var members = new LinkedHashMap<String, Span>();
        expect('{');
        if (peek() == '}') {
            at++;
        } else {
            do {
                String name = name();
                expect(':');
                if (members.put(name, value()) != null) {
                    throw new RoutingFormatException("\"" + name + "\" is there twice");
                }
            } while (next() == ',');
            if (file[at - 1] != '}') {
                throw fault("} expected");
            }
        }
        blanks();
        if (at != end) {
            throw fault("more than one value");
        }
        return members;
    }

    private String name() throws RoutingFormatException {
        blanks();
        int from = at;
        if (peek() != '"') {
            throw fault("a name expected");
        }
        skipText();
        for (int i = from; i < at; i++) {
            if (file[i] == '\\') {
                return parser.parse(file, from, at - from) instanceof Json.Text text ? text.value() : "";
            }
        }
        return new String(file, from + 1, at - from - 2, UTF_8);
    }

    private Span value() throws RoutingFormatException {
        blanks();
        int from = at;
        switch (peek()) {
            case '"' -> skipText();
            case '{', '[' -> skipNested();
            default -> skipLiteral();
        }
        if (at == from) {
            throw fault("a value expected");
        }
        return new Span(file, from, at);
    }

    private void skipNested() throws RoutingFormatException {
        int depth = 0;
        do {
            if (at >= end) {
                throw fault("it ends too early");
            }
            switch (file[at]) {
                case '"' -> {
                    skipText();
                    continue;
                }
                case '{', '[' -> depth++;
                case '}', ']' -> depth--;
                default -> {
                    // between brackets and quotes: a parser's business
                }
            }
            at++;
        } while (depth > 0);
    }

    private void skipText() throws RoutingFormatException {
        for (at++; at < end; at++) {
            if (file[at] == '"') {
                at++;
                return;
            }
            if (file[at] == '\\') {
                at++;
            }
        }
        throw fault("a text without an end");
    }

    private void skipLiteral() {
        while (at < end && file[at] != ',' && file[at] != '}' && file[at] != ']' && !isBlank(file[at])) {
            at++;
        }
    }

    private byte next() throws RoutingFormatException {
        byte found = peek();
        at++;
        return found;
    }

    private void expect(char wanted) throws RoutingFormatException {
        if (next() != wanted) {
            at--;
            throw fault(wanted + " expected");
        }
    }

    private byte peek() throws RoutingFormatException {
        blanks();
        if (at >= end) {
            throw fault("it ends too early");
        }
        return file[at];
    }

    private void blanks() {
        while (at < end && isBlank(file[at])) {
            at++;
        }
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private RoutingFormatException fault(String what) {
        return new RoutingFormatException("not JSON at byte " + at + ": " + what);
    }
}
