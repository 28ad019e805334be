package dev.shellac.translate.plan;

import dev.shellac.model.Hostname;
import dev.shellac.model.policy.CachePolicy.CacheKey;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathEdit;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.Caching;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How many bytes a route takes in routing.json at most, computed before anything is built. An entry is written for each hostname, match and backend, each with
 * the filters of its rule, so a small route can become a large table. The route's part of ghost.json is never larger.
 */
public final class RouteSize {
    /** For one route in one Gateway. */
    public static final long MOST_BYTES = 1 << 20;

    // A field has a name of up to 28 characters, quotation marks, a colon, a comma, a line break and an indentation.
    private static final long FIELD = 56;
    // Names, numbers and brackets that every entry has, or that come once with its timeouts, retries or cache policy.
    private static final long ENTRY = 1024;
    private static final long CACHE = 768;
    private static final long HOST = 128;

    private final RouteTask task;

    private RouteSize(RouteTask task) {
        this.task = task;
    }

    static Optional<Refusal> refusal(RouteTask task) {
        var size = new RouteSize(task);
        return task.placements().values().stream()
                .filter(placement -> size.bytes(placement) > MOST_BYTES)
                .findFirst()
                .map(size::refusal);
    }

    /** The largest part that the route takes in a Gateway. */
    public static long of(RouteTask task) {
        var size = new RouteSize(task);
        return task.placements().values().stream().mapToLong(size::bytes).max().orElse(0);
    }

    private Refusal refusal(RouteTask.Placement placement) {
        int hosts = placement.listeners().size();
        long entries = task.rules().stream()
                .mapToLong(rule -> (long) rule.matches().size() * entries(rule))
                .sum();
        return new Refusal(
                Reason.UNSUPPORTED_VALUE,
                "the route is too large: " + hosts + " hostnames x " + entries
                        + " entries (one for each match and backend) = " + hosts * entries + " entries of "
                        + bytes(placement) / Math.max(1, hosts * entries) + " bytes on average, together "
                        + bytes(placement) + " bytes of " + MOST_BYTES
                        + ": split it, or use fewer hostnames, matches, backends or shorter filters");
    }

    private static int entries(Rule rule) {
        return Math.max(1, rule.backends().size());
    }

    private long bytes(RouteTask.Placement placement) {
        long bytes = 0;
        for (int i = 0; i < task.rules().size(); i++) {
            Optional<Caching> cache = task.caches().get(i).or(placement::cache);
            bytes += bytes(task.rules().get(i), cache, placement);
        }
        return bytes + HOST * placement.listeners().size();
    }

    private long bytes(Rule rule, Optional<Caching> cache, RouteTask.Placement placement) {
        long entries = entries(rule);
        long matches = rule.matches().size();
        long common = ENTRY
                + text(task.route().toString())
                + rule.name().map(RouteSize::text).orElse(0L)
                + filters(rule.filters())
                + rule.retry().map(retry -> FIELD * retry.codes().size()).orElse(0L)
                + cache.map(RouteSize::bytes).orElse(0L);
        long backends = rule.backends().stream().mapToLong(this::bytes).sum();
        long once = matches * (entries * common + backends)
                + entries * rule.matches().stream().mapToLong(RouteSize::bytes).sum();
        return placement.listeners().entrySet().stream()
                .mapToLong(host -> once
                        + matches
                                * entries
                                * (text(host.getKey())
                                        + host.getValue().stream()
                                                .mapToLong(RouteSize::text)
                                                .sum()))
                .sum();
    }

    private static long bytes(Match match) {
        long path = switch (match.path()) {
            case PathMatch.Exact exact -> text(exact.path());
            case PathMatch.Prefix prefix -> text(prefix.path());
            case PathMatch.Pattern pattern -> text(pattern.regex());
        };
        Stream<Long> headers = match.headers().stream().map(header -> bytes(header.name(), header.value()));
        Stream<Long> params = match.queryParams().stream().map(param -> bytes(param.name(), param.value()));
        return path
                + match.method().map(RouteSize::text).orElse(0L)
                + Stream.concat(headers, params).mapToLong(size -> size).sum();
    }

    private static long bytes(String name, ValueMatch value) {
        return 2 * FIELD
                + text(name)
                + switch (value) {
                    case ValueMatch.Exact exact -> text(exact.value());
                    case ValueMatch.Pattern pattern -> text(pattern.regex());
                };
    }

    private long bytes(BackendRef ref) {
        return filters(ref.filters()) + target(ref);
    }

    private long target(BackendRef ref) {
        return task.backend(ref) instanceof Backend.Serving serving
                ? 4 * FIELD
                        + text(serving.service().toString())
                        + serving.portName().map(RouteSize::text).orElse(0L)
                        + serving.tls().map(tls -> FIELD + text(tls.hostname())).orElse(0L)
                : FIELD;
    }

    private long filters(List<Filter> filters) {
        return FIELD
                + filters.stream().mapToLong(filter -> FIELD + bytes(filter)).sum();
    }

    private long bytes(Filter filter) {
        return switch (filter) {
            case Filter.RequestHeaders headers -> bytes(headers.edits());
            case Filter.ResponseHeaders headers -> bytes(headers.edits());
            case Filter.Rewrite rewrite ->
                2 * FIELD
                        + rewrite.hostname().map(RouteSize::text).orElse(0L)
                        + rewrite.path().map(RouteSize::bytes).orElse(0L);
            case Filter.Redirect redirect ->
                5 * FIELD
                        + redirect.scheme().map(RouteSize::text).orElse(0L)
                        + redirect.hostname().map(RouteSize::text).orElse(0L)
                        + redirect.path().map(RouteSize::bytes).orElse(0L);
            case Filter.Cors cors ->
                8 * FIELD
                        + Stream.of(cors.allowOrigins(), cors.allowMethods(), cors.allowHeaders(), cors.exposeHeaders())
                                .mapToLong(RouteSize::texts)
                                .sum();
            case Filter.Mirror mirror -> 6 * FIELD + target(mirror.backend());
            case Filter.Extension refused -> 0;
            case Filter.ExternalAuth refused -> 0;
        };
    }

    private static long bytes(PathEdit edit) {
        return 2 * FIELD
                + switch (edit) {
                    case PathEdit.Full full -> text(full.path());
                    case PathEdit.Prefix prefix -> text(prefix.replacement());
                };
    }

    private static long bytes(HeaderEdits edits) {
        return 6 * FIELD
                + Stream.concat(edits.set().stream(), edits.add().stream())
                        .mapToLong(header -> FIELD + text(header.name()) + text(header.value()))
                        .sum()
                + texts(edits.remove());
    }

    private static long bytes(Caching cache) {
        CacheKey key = cache.cacheKey();
        return CACHE
                + texts(key.headers())
                + texts(key.includeParams())
                + texts(key.excludeParams())
                + cache.bypass().stream()
                        .mapToLong(header -> FIELD
                                + text(header.name())
                                + header.valueRegex().map(RouteSize::text).orElse(0L))
                        .sum();
    }

    private static long texts(List<String> texts) {
        return texts.stream().mapToLong(RouteSize::text).sum();
    }

    private static long text(Hostname hostname) {
        return text(hostname.value());
    }

    // As JSON in UTF-8: control characters are written as six, a quotation mark and a backslash as two.
    private static long text(String text) {
        long bytes = FIELD;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ') {
                bytes += 6;
            } else if (c == '"' || c == '\\') {
                bytes += 2;
            } else {
                bytes += c < 0x80 ? 1 : 3;
            }
        }
        return bytes;
    }
}
