package dev.shellac.explain.request;

import java.util.Arrays;
import java.util.Optional;

/**
 * A URL in origin form, cut but not decoded.
 *
 * @param query without the question mark
 */
public record Url(String path, Optional<String> query) {
    public static Url split(String text) {
        int hash = text.indexOf('#');
        String url = hash < 0 ? text : text.substring(0, hash);
        int mark = url.indexOf('?');
        return mark < 0
                ? new Url(url, Optional.empty())
                : new Url(url.substring(0, mark), Optional.of(url.substring(mark + 1)));
    }

    /** The first value of a query parameter. A part without an equals sign is no parameter. */
    public Optional<String> parameter(String name) {
        return query.stream()
                .flatMap(text -> Arrays.stream(text.split("&", -1)))
                .filter(part -> part.startsWith(name + "="))
                .findFirst()
                .map(part -> part.substring(name.length() + 1));
    }

    /** Another path, the same query. */
    public String withPath(String other) {
        return other + query.map(text -> "?" + text).orElse("");
    }
}
