package dev.shellac.translate.resolve;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Whether the data plane can run a regular expression. RE2/J speaks the language of the data plane's matcher closely
 * enough to say so in most cases; what that still refuses, it reports by itself. Never java.util.regex, which takes
 * look-around and needs exponential time for some patterns.
 */
public final class Patterns {
    private static final int MOST_BYTES = 1024;
    private static final int MOST_NESTING = 64;
    private static final int MOST_INSTRUCTIONS = 5000;

    private Patterns() {}

    /** Why the expression cannot be used. */
    public static Optional<String> fault(String regex) {
        if (regex.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            return Optional.of("longer than " + MOST_BYTES + " bytes");
        }
        if (nesting(regex) > MOST_NESTING) {
            return Optional.of("groups nested deeper than " + MOST_NESTING);
        }
        try {
            return Pattern.compile(regex).programSize() > MOST_INSTRUCTIONS
                    ? Optional.of("too large once compiled: shorten its counted repetitions")
                    : Optional.empty();
        } catch (PatternSyntaxException e) {
            return Optional.of(e.getDescription() + (e.getPattern() == null ? "" : ": " + e.getPattern()));
        }
    }

    /** Instructions of the compiled expression, which its memory in the data plane grows with; none of one that cannot be used. */
    public static int instructions(String regex) {
        return fault(regex).isPresent() ? 0 : Pattern.compile(regex).programSize();
    }

    private static int nesting(String regex) {
        int depth = 0;
        int deepest = 0;
        for (int i = 0; i < regex.length(); i++) {
            switch (regex.charAt(i)) {
                case '\\' -> i++;
                case '(' -> deepest = Math.max(deepest, ++depth);
                case ')' -> depth--;
                default -> {}
            }
        }
        return deepest;
    }
}
