package dev.shellac.cli.analysis;

import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Something that is wrong, and where.
 *
 * @param object as a person says it, or empty
 * @param part the field, listener or parent that it is about, or empty
 * @param reason the one word of a condition, or empty
 */
public record Problem(Severity severity, Position at, String object, String part, String reason, String message) {
    public static final Comparator<Problem> BY_PLACE = Comparator.<Problem, String>comparing(
                    problem -> problem.at().file())
            .thenComparingInt(problem -> problem.at().line());

    static Problem of(Finding finding) {
        return new Problem(finding.severity(), finding.at(), finding.object(), finding.path(), "", finding.message());
    }

    public boolean isError() {
        return severity == Severity.ERROR;
    }

    /** Everything but where it is. */
    public String words() {
        return Stream.of(isError() ? "" : severity.name().toLowerCase(Locale.ROOT), object, part, reason, message)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(": "));
    }

    public Map<String, Object> json() {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("severity", severity.name().toLowerCase(Locale.ROOT));
        tree.put("file", at.file());
        tree.put("line", at.line());
        tree.put("object", object);
        tree.put("part", part);
        tree.put("reason", reason);
        tree.put("message", message);
        return tree;
    }

    @Override
    public String toString() {
        return at + ": " + words();
    }
}
