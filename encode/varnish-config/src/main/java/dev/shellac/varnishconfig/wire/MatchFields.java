package dev.shellac.varnishconfig.wire;

import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.ValueMatch;

/** What a request must be like. Regular expressions are found anywhere, as ever: {@code regex} is left out. */
public final class MatchFields {
    private MatchFields() {}

    public static void write(JsonWriter json, Match match) {
        switch (match.path()) {
            case PathMatch.Exact exact -> path(json, "Exact", exact.path());
            case PathMatch.Prefix prefix -> {
                if (!prefix.isRoot()) {
                    path(json, "PathPrefix", prefix.path());
                }
            }
            case PathMatch.Pattern pattern -> path(json, "RegularExpression", pattern.regex());
        }
        match.method().ifPresent(method -> json.field("method", method));
        if (!match.headers().isEmpty()) {
            json.name("headers").open('[');
            match.headers().forEach(header -> value(json, header.name(), header.value()));
            json.close(']');
        }
        if (!match.queryParams().isEmpty()) {
            json.name("query_params").open('[');
            match.queryParams().forEach(param -> value(json, param.name(), param.value()));
            json.close(']');
        }
    }

    private static void path(JsonWriter json, String type, String value) {
        json.name("path_match")
                .open('{')
                .field("type", type)
                .field("value", value)
                .close('}');
    }

    private static void value(JsonWriter json, String name, ValueMatch match) {
        json.open('{').field("name", name);
        switch (match) {
            case ValueMatch.Exact exact -> json.field("value", exact.value()).field("type", "Exact");
            case ValueMatch.Pattern pattern ->
                json.field("value", pattern.regex()).field("type", "RegularExpression");
        }
        json.close('}');
    }
}
