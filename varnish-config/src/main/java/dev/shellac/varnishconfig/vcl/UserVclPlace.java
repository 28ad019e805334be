package dev.shellac.varnishconfig.vcl;

import dev.shellac.translate.resolve.UserVcl;
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

    private UserVclPlace() {}

    /** The ConfigMap and its key. */
    public static String of(UserVcl user) {
        return "ConfigMap " + user.configMap() + ", " + user.key();
    }

    /** Why a part cannot be part of a whole. */
    public static String words(UserVcl user, MainVcl.Refused refused) {
        return of(user) + ", line " + refused.line() + ": " + refused.why();
    }

    /**
     * The compiler's words, with the user's line where they are about one.
     *
     * @param file the name that the compiler had of the whole
     * @param whole its text
     */
    public static String inUsersLines(String words, String file, String whole) {
        Matcher place =
                Pattern.compile(Pattern.quote(file) + ":([0-9]{1,9}):([0-9]+)").matcher(words);
        Matcher origin = ORIGIN.matcher(whole);
        if (!place.find() || !origin.find()) {
            return words;
        }
        int line = Integer.parseInt(place.group(1)) - lines(whole, origin.end()) - 1;
        int most = lines(whole, whole.lastIndexOf("\n" + END)) - lines(whole, origin.end());
        return line < 1 || line > most
                ? words
                : words.replace(
                        place.group(),
                        "ConfigMap " + origin.group(1) + ", " + origin.group(2) + ", line " + line + ", column "
                                + place.group(2));
    }

    private static int lines(String text, int end) {
        return (int) text.substring(0, Math.max(end, 0))
                .chars()
                .filter(c -> c == '\n')
                .count();
    }
}
