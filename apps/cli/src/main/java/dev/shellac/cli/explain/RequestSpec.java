package dev.shellac.cli.explain;

import dev.shellac.explain.request.HostName;
import dev.shellac.explain.request.Request.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request as it is typed.
 *
 * @param scheme where the URL has one
 * @param port where the URL or an option has one
 * @param target path and query
 * @param headers with {@code Host}, if there is any
 */
public record RequestSpec(
        String method, Optional<String> scheme, Optional<Integer> port, String target, List<Header> headers) {
    private static final Pattern URL = Pattern.compile("(?:(https?)://([^/?#]*))?([^#]*)(?:#.*)?");

    /** What was typed is no request. */
    public static final class Unclear extends RuntimeException {
        private static final long serialVersionUID = 1;

        public Unclear(String message) {
            super(message);
        }
    }

    public RequestSpec {
        headers = List.copyOf(headers);
    }

    /**
     * Reads what was typed.
     *
     * @throws Unclear with words for who typed it
     */
    public static RequestSpec parse(String method, String url, List<String> headerLines) {
        Matcher parts = URL.matcher(url);
        String target = parts.matches() ? Optional.ofNullable(parts.group(3)).orElse("") : "";
        Optional<String> authority = Optional.ofNullable(parts.group(2)).filter(text -> !text.isEmpty());
        if (authority.isEmpty() && !target.startsWith("/")) {
            throw new Unclear("'" + url + "' is no URL: write http://host/path, or /path and -H 'Host: host'");
        }
        var headers = new ArrayList<Header>();
        for (String line : headerLines) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new Unclear("'" + line + "' is no header: write 'Name: value'");
            }
            headers.add(new Header(
                    line.substring(0, colon).strip(), line.substring(colon + 1).strip()));
        }
        if (authority.isPresent()
                && headers.stream().noneMatch(header -> header.name().equalsIgnoreCase("host"))) {
            headers.addFirst(new Header("Host", authority.get()));
        }
        return new RequestSpec(
                method,
                Optional.ofNullable(parts.group(1)),
                authority.flatMap(HostName::port),
                target.startsWith("/") ? target : "/" + target,
                headers);
    }

    /** The same, at another port. */
    public RequestSpec at(Optional<Integer> other) {
        return new RequestSpec(method, scheme, other.or(() -> port), target, headers);
    }
}
