package dev.shellac.explain.table;

import dev.shellac.explain.table.Filters.Cors;
import dev.shellac.explain.table.Filters.Edit;
import dev.shellac.explain.table.Filters.Mirror;
import dev.shellac.explain.table.Filters.Operation;
import dev.shellac.explain.table.Filters.PathEdit;
import dev.shellac.explain.table.Filters.Redirect;
import dev.shellac.explain.table.Route.PathRule;
import dev.shellac.explain.table.Table.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the filters of a route or group.
 *
 * @param path the path that the route is for: what a prefix replacement replaces
 */
record FilterReader(PathRule path) {
    private static final int FOUND = 302;
    private static final long MAX_AGE_SECONDS = 5;
    private static final long PERCENT = 100;

    Filters read(Json json) {
        Optional<Json> rewrite = json.find("url_rewrite");
        return new Filters(
                json.find("request_header_modifier").map(FilterReader::edits).orElse(List.of()),
                json.find("response_header_modifier").map(FilterReader::edits).orElse(List.of()),
                rewrite.flatMap(found -> found.text("hostname")),
                rewrite.flatMap(this::pathEdit),
                json.find("request_redirect").map(this::redirect),
                json.find("cors").map(FilterReader::cors),
                json.list("request_mirrors").stream().map(FilterReader::mirror).toList());
    }

    private static List<Edit> edits(Json json) {
        var edits = new ArrayList<Edit>();
        json.texts("remove").forEach(name -> edits.add(new Edit(Operation.REMOVE, name, "")));
        json.list("set").forEach(header -> edits.add(edit(Operation.SET, header)));
        json.list("add").forEach(header -> edits.add(edit(Operation.ADD, header)));
        return edits;
    }

    private static Edit edit(Operation operation, Json header) {
        return new Edit(
                operation, header.text("name").orElse(""), header.text("value").orElse(""));
    }

    private Optional<PathEdit> pathEdit(Json json) {
        Optional<String> full = json.text("replace_full_path");
        Optional<String> prefix = json.text("replace_prefix_match");
        String byDefault = full.isPresent() ? "ReplaceFullPath" : prefix.isPresent() ? "ReplacePrefixMatch" : "";
        return switch (json.text("path_type").orElse(byDefault)) {
            case "ReplaceFullPath" -> Optional.of(new PathEdit.Full(full.orElse("")));
            case "ReplacePrefixMatch" -> Optional.of(new PathEdit.Prefix(matched(), prefix.orElse("")));
            default -> Optional.empty();
        };
    }

    private int matched() {
        return switch (path) {
            case PathRule.Exact exact -> exact.path().length();
            case PathRule.Prefix prefix -> prefix.path().length();
            case PathRule.Any any -> 0;
            // Refused by the data plane: nobody knows what the expression covered.
            case PathRule.Matching matching -> 0;
        };
    }

    private Redirect redirect(Json json) {
        return new Redirect(
                json.small("status_code").orElse(FOUND),
                json.text("scheme").map(scheme -> scheme.equals("https") ? Scheme.HTTPS : Scheme.HTTP),
                json.text("hostname"),
                json.small("port"),
                pathEdit(json));
    }

    private static Cors cors(Json json) {
        return new Cors(
                json.texts("allow_origins"),
                json.texts("allow_methods"),
                json.texts("allow_headers"),
                json.texts("expose_headers"),
                json.flag("allow_credentials"),
                json.number("max_age_seconds").orElse(MAX_AGE_SECONDS));
    }

    private static Mirror mirror(Json json) {
        Optional<Json> fraction = json.find("fraction");
        return new Mirror(
                Endpoints.target(json),
                json.number("percent")
                        .or(() -> fraction.flatMap(found -> found.number("numerator")))
                        .orElse(PERCENT),
                fraction.flatMap(found -> found.number("denominator")).orElse(PERCENT));
    }
}
