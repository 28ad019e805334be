package dev.shellac.varnishconfig.wire;

import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.PathEdit;
import dev.shellac.translate.plan.FilterPlan;
import dev.shellac.translate.resolve.Backend;
import java.util.List;
import java.util.function.BiConsumer;

/** What is done to a request and its response. The formats differ in how they name the backend of a mirror. */
public final class FilterFields {
    private final JsonWriter json;

    private FilterFields(JsonWriter json) {
        this.json = json;
    }

    /**
     * Left out where there is nothing to do.
     *
     * @param mirrorTarget writes the fields that say where a copy goes
     */
    public static void write(
            JsonWriter json, String name, FilterPlan filters, BiConsumer<JsonWriter, Backend.Serving> mirrorTarget) {
        if (filters.equals(FilterPlan.NONE)) {
            return;
        }
        json.name(name).open('{');
        var fields = new FilterFields(json);
        fields.edits("request_header_modifier", filters.request());
        fields.edits("response_header_modifier", filters.response());
        filters.rewrite().ifPresent(fields::rewrite);
        filters.redirect().ifPresent(fields::redirect);
        filters.cors().ifPresent(fields::cors);
        if (!filters.mirrors().isEmpty()) {
            json.name("request_mirrors").open('[');
            filters.mirrors().forEach(mirror -> fields.mirror(mirror, mirrorTarget));
            json.close(']');
        }
        json.close('}');
    }

    private void edits(String name, HeaderEdits edits) {
        if (!edits.equals(HeaderEdits.NONE)) {
            json.name(name).open('{');
            headers("set", edits.set());
            headers("add", edits.add());
            json.field("remove", edits.remove()).close('}');
        }
    }

    private void headers(String name, List<HeaderEdits.Header> headers) {
        if (!headers.isEmpty()) {
            json.name(name).open('[');
            headers.forEach(header -> json.open('{')
                    .field("name", header.name())
                    .field("value", header.value())
                    .close('}'));
            json.close(']');
        }
    }

    private void rewrite(Filter.Rewrite rewrite) {
        json.name("url_rewrite").open('{');
        rewrite.hostname().ifPresent(host -> json.field("hostname", host.value()));
        rewrite.path().ifPresent(this::path);
        json.close('}');
    }

    private void redirect(Filter.Redirect redirect) {
        json.name("request_redirect").open('{');
        redirect.scheme().ifPresent(scheme -> json.field("scheme", scheme));
        redirect.hostname().ifPresent(host -> json.field("hostname", host.value()));
        redirect.port().ifPresent(port -> json.field("port", port.value()));
        redirect.path().ifPresent(this::path);
        json.field("status_code", redirect.statusCode()).close('}');
    }

    private void path(PathEdit edit) {
        switch (edit) {
            case PathEdit.Full full ->
                json.field("path_type", "ReplaceFullPath").field("replace_full_path", full.path());
            case PathEdit.Prefix prefix ->
                json.field("path_type", "ReplacePrefixMatch").field("replace_prefix_match", prefix.replacement());
        }
    }

    private void cors(Filter.Cors cors) {
        if (cors.allowOrigins().isEmpty()) {
            // No origin is named, so there is nothing to answer for, and ghost takes no empty list.
            return;
        }
        json.name("cors").open('{').field("allow_origins", cors.allowOrigins());
        json.field("allow_methods", cors.allowMethods());
        json.field("allow_headers", cors.allowHeaders());
        json.field("expose_headers", cors.exposeHeaders());
        if (cors.credentials() == Filter.Credentials.ALLOWED) {
            json.name("allow_credentials").flag(true);
        }
        json.field("max_age_seconds", Math.min(cors.maxAgeSeconds(), CacheFields.MOST_SECONDS))
                .close('}');
    }

    private void mirror(FilterPlan.MirrorPlan mirror, BiConsumer<JsonWriter, Backend.Serving> target) {
        if (!(mirror.backend() instanceof Backend.Serving serving)) {
            return;
        }
        json.open('{');
        target.accept(json, serving);
        if (!mirror.share().equals(Filter.Share.ALL)) {
            json.name("fraction")
                    .open('{')
                    .field("numerator", mirror.share().numerator())
                    .field("denominator", mirror.share().denominator())
                    .close('}');
        }
        json.close('}');
    }
}
