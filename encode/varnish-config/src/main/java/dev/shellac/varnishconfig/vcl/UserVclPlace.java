package dev.shellac.varnishconfig.vcl;

import dev.shellac.translate.resolve.UserVcl;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where in a user's VCL something is wrong. The compiler counts lines from the top of the whole; the user wrote a part of it, which the whole names in a
 * comment of ours.
 */
public final class UserVclPlace {
    static final String BEGIN = "# The user's part: ";
    static final String END = "# The end of the user's part.";
    private static final Pattern ORIGIN =
            Pattern.compile("^" + BEGIN + "ConfigMap (\\S+), key (.*)$", Pattern.MULTILINE);

    /** Stands before an import, which is at the top of the whole. */
    private static final Pattern IMPORTED =
            Pattern.compile("# The user's line ([0-9]+), column ([0-9]+)(| and what follows):");

    private UserVclPlace() {}

    /** The ConfigMap and its key. */
    public static String of(UserVcl user) {
        return "ConfigMap " + user.configMap() + ", " + user.key();
    }

    /** Why a part cannot be part of a whole. */
    public static String words(UserVcl user, MainVcl.Refused refused) {
        return of(user) + place(refused.line(), refused.column()) + ": " + refused.why();
    }

    private static String place(int line, int column) {
        return ", line " + line + ", column " + column;
    }

    static String before(UserPart.Import found) {
        return "# The user's line " + found.line() + ", column " + found.column()
                + (found.isVerbatim() ? "" : " and what follows") + ":";
    }

    /**
     * The compiler's words, with the user's line and column at each place that is in the user's text.
     *
     * @param file the name that the compiler had of the whole
     * @param whole its text
     */
    public static String inUsersLines(String words, String file, String whole) {
        Matcher origin = ORIGIN.matcher(whole);
        if (!origin.find()) {
            return words;
        }
        String user = "ConfigMap " + origin.group(1) + ", " + origin.group(2);
        List<String> lines = List.of(whole.split("\n", -1));
        int begin = lines(whole, origin.end()) + 1;
        int end = lines(whole, whole.lastIndexOf("\n" + END)) + 1;
        return Pattern.compile(Pattern.quote(file) + ":([0-9]{1,9}):([0-9]{1,9})")
                .matcher(words)
                .replaceAll(found -> {
                    int line = Integer.parseInt(found.group(1));
                    int column = Integer.parseInt(found.group(2));
                    Optional<String> place = line > begin && line <= end
                            ? Optional.of(place(line - begin, column))
                            : line > 1 && line < begin ? imported(lines.get(line - 2), column) : Optional.empty();
                    return Matcher.quoteReplacement(place.map(user::concat).orElseGet(found::group));
                });
    }

    private static Optional<String> imported(String before, int column) {
        Matcher found = IMPORTED.matcher(before);
        if (!found.matches()) {
            return Optional.empty();
        }
        int first = Integer.parseInt(found.group(2));
        return Optional.of(
                place(Integer.parseInt(found.group(1)), found.group(3).isEmpty() ? first + column - 1 : first));
    }

    private static int lines(String text, int end) {
        return (int) text.substring(0, Math.max(end, 0))
                .chars()
                .filter(c -> c == '\n')
                .count();
    }
}
