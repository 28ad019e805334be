package dev.shellac.varnishconfig.vcl;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Cuts VCL into words, signs and strings, as far as needed to know what is inside a comment or string. */
final class VclLexer {
    /** A string is any of the three kinds, or a block of inline C. */
    enum Kind {
        WORD,
        SIGN,
        STRING,
        UNENDED
    }

    /** A piece of the text. Comments are none. Of one without an end, the text is how it begins. */
    record Token(Kind kind, String text, int start, int end, int line) {
        boolean is(String expected) {
            return (kind == Kind.WORD || kind == Kind.SIGN) && text.equals(expected);
        }
    }

    private static final int TAB = 8;

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int line = 1;

    private VclLexer(String text) {
        this.text = text;
    }

    /** All tokens; the last is {@code UNENDED} where a comment or string is not closed. */
    static List<Token> tokens(String text) {
        var lexer = new VclLexer(text);
        while (lexer.at < text.length()) {
            lexer.next();
        }
        return List.copyOf(lexer.tokens);
    }

    /** The column of a place from 1, as the VCL compiler counts: in bytes, and a tab goes on to the next multiple of eight. */
    static int column(String text, int at) {
        int column = 0;
        String before = text.substring(text.lastIndexOf('\n', at - 1) + 1, at);
        for (byte octet : before.getBytes(StandardCharsets.UTF_8)) {
            column = octet == '\t' ? (column / TAB + 1) * TAB : column + 1;
        }
        return column + 1;
    }

    private void next() {
        char c = text.charAt(at);
        if (Character.isWhitespace(c)) {
            advance(at + 1);
        } else if (c == '#' || text.startsWith("//", at)) {
            int end = text.indexOf('\n', at);
            advance(end < 0 ? text.length() : end);
        } else if (text.startsWith("/*", at)) {
            enclosed("/*", "*/", false);
        } else if (text.startsWith("\"\"\"", at)) {
            enclosed("\"\"\"", "\"\"\"", true);
        } else if (text.startsWith("{\"", at)) {
            enclosed("{\"", "\"}", true);
        } else if (text.startsWith("C{", at)) {
            enclosed("C{", "}C", true);
        } else if (c == '"') {
            shortString();
        } else if (isWord(c)) {
            int end = at;
            while (end < text.length() && isWord(text.charAt(end))) {
                end++;
            }
            token(Kind.WORD, end);
        } else {
            token(Kind.SIGN, at + 1);
        }
    }

    private void enclosed(String opening, String closing, boolean isToken) {
        int end = text.indexOf(closing, at + opening.length());
        if (end < 0) {
            unended(opening);
        } else if (isToken) {
            token(Kind.STRING, end + closing.length());
        } else {
            advance(end + closing.length());
        }
    }

    // It ends on its line.
    private void shortString() {
        int end = text.indexOf('"', at + 1);
        int lineEnd = text.indexOf('\n', at);
        if (end < 0 || (lineEnd >= 0 && lineEnd < end)) {
            unended("\"");
        } else {
            token(Kind.STRING, end + 1);
        }
    }

    private void unended(String opening) {
        tokens.add(new Token(Kind.UNENDED, opening, at, text.length(), line));
        at = text.length();
    }

    private void token(Kind kind, int end) {
        tokens.add(new Token(kind, text.substring(at, end), at, end, line));
        advance(end);
    }

    private void advance(int end) {
        for (; at < end; at++) {
            if (text.charAt(at) == '\n') {
                line++;
            }
        }
    }

    private static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '.'
                || c == '-';
    }
}
