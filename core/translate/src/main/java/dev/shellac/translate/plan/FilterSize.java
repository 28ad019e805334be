package dev.shellac.translate.plan;

import static dev.shellac.translate.plan.JsonSize.bracket;
import static dev.shellac.translate.plan.JsonSize.field;
import static dev.shellac.translate.plan.JsonSize.number;
import static dev.shellac.translate.plan.JsonSize.object;
import static dev.shellac.translate.plan.JsonSize.texts;

import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.PathEdit;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How many bytes filters take in an entry of routing.json.
 *
 * @param mirrorTarget the bytes of the fields that say where a copy goes
 */
record FilterSize(ToLongFunction<BackendRef> mirrorTarget) {
    private static final int DEPTH = 6;

    long of(String name, List<Filter> filters) {
        long bytes = 0;
        for (Filter filter : filters) {
            bytes += of(filter);
        }
        return filters.isEmpty() ? 0 : object(DEPTH - 1, name, bytes);
    }

    private long of(Filter filter) {
        return switch (filter) {
            case Filter.RequestHeaders headers -> edits("request_header_modifier", headers.edits());
            case Filter.ResponseHeaders headers -> edits("response_header_modifier", headers.edits());
            case Filter.Rewrite rewrite ->
                object(
                        DEPTH,
                        "url_rewrite",
                        rewrite.hostname()
                                        .map(host -> field(DEPTH + 1, "hostname", host.value()))
                                        .orElse(0L)
                                + rewrite.path().map(FilterSize::path).orElse(0L));
            case Filter.Redirect redirect -> redirect(redirect);
            case Filter.Cors cors -> cors(cors);
            case Filter.Mirror mirror -> mirror(mirror);
            case Filter.Extension refused -> 0;
            case Filter.ExternalAuth refused -> 0;
        };
    }

    private static long redirect(Filter.Redirect redirect) {
        int depth = DEPTH + 1;
        return object(
                DEPTH,
                "request_redirect",
                redirect.scheme().map(scheme -> field(depth, "scheme", scheme)).orElse(0L)
                        + redirect.hostname()
                                .map(host -> field(depth, "hostname", host.value()))
                                .orElse(0L)
                        + redirect.port()
                                .map(port -> number(depth, "port", port.value()))
                                .orElse(0L)
                        + redirect.path().map(FilterSize::path).orElse(0L)
                        + number(depth, "status_code", redirect.statusCode()));
    }

    private static long cors(Filter.Cors cors) {
        int depth = DEPTH + 1;
        return object(
                DEPTH,
                "cors",
                texts(depth, "allow_origins", cors.allowOrigins())
                        + texts(depth, "allow_methods", cors.allowMethods())
                        + texts(depth, "allow_headers", cors.allowHeaders())
                        + texts(depth, "expose_headers", cors.exposeHeaders())
                        + field(depth, "allow_credentials", "true".length())
                        + number(depth, "max_age_seconds", cors.maxAgeSeconds()));
    }

    // Each one may be the only one, and have the list to itself.
    private long mirror(Filter.Mirror mirror) {
        int depth = DEPTH + 2;
        long fraction = number(depth + 1, "numerator", mirror.share().numerator())
                + number(depth + 1, "denominator", mirror.share().denominator());
        return object(
                DEPTH,
                "request_mirrors",
                2 * bracket(DEPTH + 1)
                        + mirrorTarget.applyAsLong(mirror.backend())
                        + object(depth, "fraction", fraction));
    }

    private static long path(PathEdit edit) {
        int depth = DEPTH + 1;
        return switch (edit) {
            case PathEdit.Full full ->
                field(depth, "path_type", "ReplaceFullPath") + field(depth, "replace_full_path", full.path());
            case PathEdit.Prefix prefix ->
                field(depth, "path_type", "ReplacePrefixMatch")
                        + field(depth, "replace_prefix_match", prefix.replacement());
        };
    }

    private static long edits(String name, HeaderEdits edits) {
        int depth = DEPTH + 1;
        return object(
                DEPTH,
                name,
                headers("set", edits.set()) + headers("add", edits.add()) + texts(depth, "remove", edits.remove()));
    }

    private static long headers(String name, List<HeaderEdits.Header> headers) {
        int depth = DEPTH + 2;
        long bytes = 0;
        for (HeaderEdits.Header header : headers) {
            bytes += 2 * bracket(depth)
                    + field(depth + 1, "name", header.name())
                    + field(depth + 1, "value", header.value());
        }
        return headers.isEmpty() ? 0 : object(DEPTH + 1, name, bytes);
    }
}
