package dev.shellac.explain;

import dev.shellac.explain.request.Request;
import dev.shellac.explain.table.Filters.Cors;
import dev.shellac.explain.table.Filters.Edit;
import dev.shellac.explain.table.Filters.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The headers that CORS adds. The origin is echoed, never answered with a star. */
final class CrossOrigin {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+\\-.^_`|~]*");
    private static final Pattern TOKENS = Pattern.compile("[A-Za-z0-9!#$%&'*+\\-.^_`|~, ]*");
    private static final Pattern LABELS = Pattern.compile("[A-Za-z0-9\\-_.]+");

    private CrossOrigin() {}

    static List<Edit> preflight(Cors cors, Request request) {
        var edits = new ArrayList<Edit>();
        edits.add(set("vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"));
        allowedOrigin(cors, request).ifPresent(origin -> {
            common(cors, origin, edits);
            Optional<String> method = request.first("access-control-request-method")
                    .filter(value -> TOKEN.matcher(value).matches());
            allowed("access-control-allow-methods", cors.methods(), method, edits);
            Optional<String> names = request.first("access-control-request-headers")
                    .filter(value -> TOKENS.matcher(value).matches());
            allowed("access-control-allow-headers", cors.headers(), names, edits);
            edits.add(set("access-control-max-age", Long.toString(cors.maxAgeSeconds())));
        });
        return edits;
    }

    /** What the backend itself says about CORS does not count. */
    static List<Edit> response(Cors cors, Request request) {
        var edits = new ArrayList<Edit>();
        for (String name : List.of(
                "access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers")) {
            edits.add(new Edit(Operation.REMOVE, name, ""));
        }
        edits.add(new Edit(Operation.ADD, "vary", "Origin"));
        allowedOrigin(cors, request).ifPresent(origin -> common(cors, origin, edits));
        return edits;
    }

    private static void common(Cors cors, String origin, List<Edit> edits) {
        edits.add(set("access-control-allow-origin", origin));
        if (cors.credentials()) {
            edits.add(set("access-control-allow-credentials", "true"));
        }
        if (!cors.expose().isEmpty()) {
            edits.add(set("access-control-expose-headers", String.join(", ", cors.expose())));
        }
    }

    private static void allowed(String name, List<String> allowed, Optional<String> requested, List<Edit> edits) {
        String value = allowed.contains("*") ? requested.orElse("") : String.join(", ", allowed);
        if (!value.isEmpty()) {
            edits.add(set(name, value));
        }
    }

    private static Optional<String> allowedOrigin(Cors cors, Request request) {
        return request.first("origin")
                .filter(origin -> cors.origins().stream().anyMatch(pattern -> covers(pattern, origin)));
    }

    private static boolean covers(String pattern, String origin) {
        int star = pattern.indexOf("://*");
        if (pattern.equals("*") || pattern.equalsIgnoreCase(origin)) {
            return true;
        }
        if (star < 0) {
            return false;
        }
        String before = pattern.substring(0, star + 3).toLowerCase(Locale.ROOT);
        String after = pattern.substring(star + 4).toLowerCase(Locale.ROOT);
        String lower = origin.toLowerCase(Locale.ROOT);
        return lower.length() > before.length() + after.length()
                && lower.startsWith(before)
                && lower.endsWith(after)
                && LABELS.matcher(lower.substring(before.length(), lower.length() - after.length()))
                        .matches();
    }

    private static Edit set(String name, String value) {
        return new Edit(Operation.SET, name, value);
    }
}
