package dev.shellac.testkit.golden;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.ArrayList;
import java.util.List;

/** A unified diff for a person to read, in which nothing that differs is invisible. */
final class TextDiff {
    private static final int CONTEXT = 3;
    private static final int MOST_LINES = 200;

    private TextDiff() {}

    static String unified(String from, String before, String after) {
        List<String> expected = lines(before);
        List<String> diff = UnifiedDiffUtils.generateUnifiedDiff(
                from, "what came out", expected, DiffUtils.diff(expected, lines(after)), CONTEXT);
        if (diff.size() <= MOST_LINES) {
            return String.join("\n", diff);
        }
        return String.join("\n", diff.subList(0, MOST_LINES)) + "\n… and " + (diff.size() - MOST_LINES)
                + " more lines of difference";
    }

    // A last line without its end, and a carriage return, would otherwise make two different files look the same.
    private static List<String> lines(String text) {
        var lines = new ArrayList<>(List.of(text.replace("\r", "␍").split("\n", -1)));
        if (lines.getLast().isEmpty()) {
            lines.removeLast();
        } else {
            lines.add("\\ No newline at end of file");
        }
        return lines;
    }
}
