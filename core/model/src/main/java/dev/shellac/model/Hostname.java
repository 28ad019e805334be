package dev.shellac.model;

import java.util.Locale;
import java.util.Optional;

/**
 * A host as Gateway API names it: exact, {@code *.suffix} (one or more labels before the suffix, never the suffix
 * itself), or any host at all, which in YAML is the absence of a name.
 */
public record Hostname(String value) implements Comparable<Hostname> {
    public static final Hostname ANY = new Hostname("*");

    private static final String WILDCARD = "*.";
    private static final int MOST_CHARACTERS = 253;

    public Hostname {
        if (!isHostname(value)) {
            throw new IllegalArgumentException("not a hostname: " + value);
        }
    }

    /** The name in lower case, or nothing where the text is no name. {@code *} alone is no name in Gateway API. */
    public static Optional<Hostname> parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.equals("*") || !isHostname(lower) ? Optional.empty() : Optional.of(new Hostname(lower));
    }

    public boolean isAny() {
        return value.equals("*");
    }

    public boolean isWildcard() {
        return value.startsWith(WILDCARD);
    }

    /** Every host that {@code other} stands for, this one stands for too. */
    public boolean covers(Hostname other) {
        if (isAny() || value.equals(other.value)) {
            return true;
        }
        // "*.example.com" without its star is ".example.com": any depth below, not the apex.
        return isWildcard() && !other.isAny() && other.value.endsWith(value.substring(1));
    }

    /** Some host is meant by both; then one of the two covers the other. */
    public boolean intersects(Hostname other) {
        return covers(other) || other.covers(this);
    }

    /** The hosts that both stand for. */
    public Optional<Hostname> intersection(Hostname other) {
        if (covers(other)) {
            return Optional.of(other);
        }
        return other.covers(this) ? Optional.of(this) : Optional.empty();
    }

    // Gateway API, HTTPRouteSpec.hostnames: a non-wildcard name with more characters first, then a wildcard with more
    // characters; any host is last. The text decides what is left, so that the order is total.
    @Override
    public int compareTo(Hostname other) {
        int byKind = Integer.compare(rank(), other.rank());
        if (byKind != 0) {
            return byKind;
        }
        int byLength = Integer.compare(other.value.length(), value.length());
        return byLength == 0 ? value.compareTo(other.value) : byLength;
    }

    private int rank() {
        return isAny() ? 2 : isWildcard() ? 1 : 0;
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value;
    }

    private static boolean isHostname(String text) {
        if (text.equals("*")) {
            return true;
        }
        if (text.length() > MOST_CHARACTERS) {
            return false;
        }
        String name = text.startsWith(WILDCARD) ? text.substring(WILDCARD.length()) : text;
        for (String label : name.split("\\.", -1)) {
            if (!isLabel(label)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLabel(String label) {
        // No limit on a label: the pattern of the CRDs has none, and what the API server takes is taken here.
        if (label.isEmpty() || label.startsWith("-") || label.endsWith("-")) {
            return false;
        }
        return label.chars().allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
    }
}
