package dev.shellac.explain.request;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** The host of a request: without port and trailing dot, in lower case, brackets of an IPv6 literal kept. */
public record HostName(String value) {
    private static final int MOST_BYTES = 255;

    /** What a {@code Host} header means; nothing where there is nothing that could be looked up. */
    public static Optional<HostName> parse(String header) {
        return bare(header).map(name -> new HostName(name.toLowerCase(Locale.ROOT)));
    }

    /** As it was written. */
    public static Optional<String> bare(String header) {
        String text = header.trim();
        // After the name, or after the bracket that ends a literal.
        int end = text.startsWith("[") ? text.indexOf(']') + 1 : colon(text);
        if (end == 0 || !isPort(text.substring(end))) {
            return Optional.empty();
        }
        String name = text.substring(0, end);
        String host = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        return host.isEmpty() || host.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES
                ? Optional.empty()
                : Optional.of(host);
    }

    /** The port in a {@code Host} header. */
    public static Optional<Integer> port(String header) {
        int colon = header.lastIndexOf(':');
        String digits = header.substring(colon + 1).trim();
        if (colon < 0
                || digits.isEmpty()
                || digits.length() > 5
                || !digits.chars().allMatch(HostName::isDigit)) {
            return Optional.empty();
        }
        int port = Integer.parseInt(digits);
        return port == 0 || port > 65_535 ? Optional.empty() : Optional.of(port);
    }

    private static int colon(String text) {
        int colon = text.indexOf(':');
        return colon < 0 ? text.length() : colon;
    }

    private static boolean isPort(String rest) {
        return rest.isEmpty()
                || (rest.startsWith(":") && rest.substring(1).chars().allMatch(HostName::isDigit));
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    @Override
    public String toString() {
        return value;
    }
}
