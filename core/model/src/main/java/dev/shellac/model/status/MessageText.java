package dev.shellac.model.status;

import java.util.List;
import java.util.function.Function;

/**
 * The text of conditions and Events. Tenants choose how many listeners, hostnames or ports there are, and a message is kept for each parent of each route: what a
 * message quotes has a bound.
 */
public final class MessageText {
    /** Characters of a message, as many as an Event may have. */
    public static final int MOST = 1_024;

    private static final int MOST_NAMED = 5;
    private static final int MOST_LISTED = 256;

    private MessageText() {}

    /** The first of the items, as many as are short together, and how many more there are. Words are made of no others. */
    public static <T> String list(String separator, List<T> items, Function<? super T, String> words) {
        var text = new StringBuilder();
        int named = 0;
        for (T item : items.subList(0, Math.min(MOST_NAMED, items.size()))) {
            String next = words.apply(item);
            if (named > 0 && text.length() + separator.length() + next.length() > MOST_LISTED) {
                break;
            }
            text.append(named > 0 ? separator : "").append(next);
            named++;
        }
        int more = items.size() - named;
        return more == 0 ? text.toString() : text + " and " + more + " more";
    }

    public static String list(String separator, List<String> items) {
        return list(separator, items, Function.identity());
    }

    /** The beginning of a text that may be longer than a message can be. */
    public static String cut(String text) {
        return cut(text, MOST);
    }

    /** The beginning of a text. A character of two halves stays whole: half of it could not be written. */
    public static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }
}
