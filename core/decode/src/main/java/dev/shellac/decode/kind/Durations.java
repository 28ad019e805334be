package dev.shellac.decode.kind;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as text: Gateway API's form, and Go's, which the cache policies use. */
final class Durations {
    private static final Pattern PART = Pattern.compile("([0-9]*\\.?[0-9]+|[0-9]+\\.)(ns|us|µs|ms|s|m|h)");
    private static final int MOST_CHARACTERS = 40;

    private Durations() {}

    /** Go's {@code time.ParseDuration}: {@code 1h30m}, {@code 1.5s}, {@code -2m}, and a bare {@code 0}. */
    static Optional<Duration> parse(String text) {
        String unsigned = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
        if (unsigned.equals("0")) {
            return Optional.of(Duration.ZERO);
        }
        if (unsigned.isEmpty() || unsigned.length() > MOST_CHARACTERS) {
            return Optional.empty();
        }
        double nanos = 0;
        Matcher matcher = PART.matcher(unsigned);
        int end = 0;
        while (end < unsigned.length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                return Optional.empty();
            }
            nanos += Double.parseDouble(matcher.group(1)) * nanosOf(matcher.group(2));
            end = matcher.end();
        }
        if (nanos > Long.MAX_VALUE) {
            return Optional.empty();
        }
        Duration length = Duration.ofNanos(Math.round(nanos));
        return Optional.of(text.startsWith("-") ? length.negated() : length);
    }

    private static double nanosOf(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "us", "µs" -> 1e3;
            case "ms" -> 1e6;
            case "s" -> 1e9;
            case "m" -> 60e9;
            default -> 3600e9;
        };
    }
}
