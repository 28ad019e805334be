package dev.shellac.explain.table;

import dev.shellac.explain.request.HostName;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** A host of the table: a name, {@code *.suffix}, or {@code *}. Sorts the most specific first. */
public record HostPattern(String value) implements Comparable<HostPattern> {
    public static final HostPattern ANY = new HostPattern("*");

    private static final Pattern NAME = Pattern.compile("(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*|\\[[0-9a-f:.\\[\\]]*]");
    private static final Comparator<HostPattern> MOST_SPECIFIC_FIRST =
            Comparator.comparingInt(HostPattern::rank).thenComparing(HostPattern::labels, Comparator.reverseOrder());

    /** In lower case and without trailing dot; nothing where the text is no host. */
    public static Optional<HostPattern> parse(String text) {
        if (text.equals("*")) {
            return Optional.of(ANY);
        }
        String name = (text.endsWith(".") ? text.substring(0, text.length() - 1) : text).toLowerCase(Locale.ROOT);
        return NAME.matcher(name).matches() ? Optional.of(new HostPattern(name)) : Optional.empty();
    }

    /** A request without a host that can be looked up is for any host. */
    public boolean covers(Optional<HostName> host) {
        if (value.equals("*")) {
            return true;
        }
        String name = host.map(HostName::value).orElse("");
        if (!value.startsWith("*.")) {
            return name.equals(value);
        }
        String suffix = value.substring(1);
        // At least one label stands before the suffix, and it is not empty.
        int before = name.length() - suffix.length();
        return before > 0 && name.endsWith(suffix) && name.charAt(before - 1) != '.';
    }

    private int rank() {
        return value.equals("*") ? 2 : value.startsWith("*.") ? 1 : 0;
    }

    private int labels() {
        return (int) value.chars().filter(c -> c == '.').count();
    }

    @Override
    public int compareTo(HostPattern other) {
        return MOST_SPECIFIC_FIRST.thenComparing(HostPattern::value).compare(this, other);
    }

    @Override
    public String toString() {
        return value;
    }
}
