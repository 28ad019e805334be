package dev.shellac.explain;

import dev.shellac.explain.request.HostName;
import dev.shellac.explain.request.Request;
import dev.shellac.explain.request.Url;
import dev.shellac.explain.table.CachePolicy;
import dev.shellac.explain.table.CachePolicy.Bypass;
import dev.shellac.explain.table.CachePolicy.PurgeKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What a cache policy means for one request. */
public record CacheDecision(CachePolicy policy, Request request) {
    /** The header that keeps the request out of the cache. */
    public Optional<Bypass> bypass() {
        return policy.bypass().stream()
                .filter(bypass -> request.all(bypass.name())
                        .anyMatch(value ->
                                bypass.value().isEmpty() || bypass.value().get().fits(value)))
                .findFirst();
    }

    /** Why the request goes past the cache, in words; nothing where it is looked up. */
    public Optional<String> pass() {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return Optional.of("only GET and HEAD are looked up");
        }
        if (request.first("authorization").isPresent() && !policy.personal().authorization()) {
            return Optional.of("it has the header Authorization");
        }
        if (request.first("cookie").isPresent() && !policy.personal().cookies()) {
            return Optional.of("it has the header Cookie");
        }
        return bypass().map(header -> "it has the header " + header.name() + ", which the policy names");
    }

    /** Under what the answer can be purged once it is stored. */
    public List<String> purgeKeys() {
        Url url = request.url();
        String place = escaped(request.host().map(HostName::value).orElse("")) + escaped(url.path());
        return policy.purgeKeys().stream()
                .map(kind -> switch (kind) {
                    case PurgeKey.PATH -> "path:" + place;
                    case PurgeKey.URL ->
                        "url:" + place
                                + url.query().map(query -> "?" + escaped(query)).orElse("");
                })
                .toList();
    }

    // One word without spaces or commas, fit for a list of keys.
    private static String escaped(String text) {
        var out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b > ' ' && b < 0x7f && b != ',' && b != '"') {
                out.append((char) b);
            } else {
                out.append("%%%02X".formatted(b & 0xff));
            }
        }
        return out.toString();
    }
}
