package dev.shellac.varnishd.cli;

import java.util.List;
import java.util.stream.Collectors;

/** A command and its arguments, whatever characters they hold. */
public record CliCommand(List<String> words) {
    public CliCommand {
        words = List.copyOf(words);
        if (words.isEmpty() || words.getFirst().isEmpty()) {
            throw new IllegalArgumentException("a command has a verb");
        }
    }

    public static CliCommand of(String... words) {
        return new CliCommand(List.of(words));
    }

    String line() {
        return words.stream().map(CliCommand::quoted).collect(Collectors.joining(" ")) + "\n";
    }

    // A line ends a command, and blanks end a word, unless they are quoted and escaped.
    private static String quoted(String word) {
        if (!word.isEmpty() && word.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '#')) {
            return word;
        }
        var quoted = new StringBuilder("\"");
        word.chars().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    /** The verb and what it is about, for people. */
    @Override
    public String toString() {
        return String.join(" ", words);
    }
}
