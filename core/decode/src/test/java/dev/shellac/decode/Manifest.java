package dev.shellac.decode;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One object as a file has it, and as much of it as finding its place in the API takes. */
record Manifest(String from, String text) {
    private static final Pattern METADATA = Pattern.compile("^metadata:(.*(?:\\n[ ].*)*)", Pattern.MULTILINE);

    static List<Manifest> all(String from, String file) {
        return Arrays.stream(file.split("(?m)^---.*$", -1))
                .filter(text -> text.lines().anyMatch(line -> line.startsWith("kind:")))
                .map(text -> new Manifest(from, text.strip() + "\n"))
                .toList();
    }

    String kind() {
        return word(text, "^kind: *", "");
    }

    String apiVersion() {
        return word(text, "^apiVersion: *", "");
    }

    String name() {
        return word(metadata(), "(?<![a-zA-Z])name: *", "");
    }

    String namespace() {
        return word(metadata(), "(?<![a-zA-Z])namespace: *", "default");
    }

    private String metadata() {
        Matcher found = METADATA.matcher(text);
        return found.find() ? found.group(1) : "";
    }

    private static String word(String text, String before, String otherwise) {
        Matcher found = Pattern.compile(before + "[\"']?([^\\s,}\"']+)", Pattern.MULTILINE)
                .matcher(text);
        return found.find() ? found.group(1) : otherwise;
    }

    @Override
    public String toString() {
        return from + ": " + kind() + " " + name();
    }
}
