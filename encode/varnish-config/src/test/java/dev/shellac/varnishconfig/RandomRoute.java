package dev.shellac.varnishconfig;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.policy.CachePolicy.BypassHeader;
import dev.shellac.model.policy.CachePolicy.CacheKey;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathEdit;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Retry;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.model.route.ValueMatch;
import dev.shellac.translate.plan.RouteTask;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.CacheRules;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A route of any shape, up to what the CRD allows: 16 hostnames, rules, filters, backends and mirrors, 8 matches of 16 headers and parameters for each
 * rule, header values of 4096 characters.
 *
 * @param count how many there are of what there may be so many of
 * @param length of a text that may have so many characters
 */
record RandomRoute(Random random, IntUnaryOperator count, IntUnaryOperator length) {
    static final Name GATEWAY = new Name("infra", "web");
    private static final List<String> SPELLINGS = List.of("a", "b-", "%61", "%e9", "%2E", ";", "%2F", "~");
    private static final List<String> LETTERS = List.of("a", "b", "-", "/", "\"", "\\", "\t", "\u0001", "é", "€", "😀");

    /** Of this size, from nothing to 1. */
    static RandomRoute of(Random random, double size) {
        return new RandomRoute(
                random,
                most -> random.nextInt(1 + (int) Math.ceil(most * size)),
                most -> random.nextInt(1 + (int) Math.ceil(most * size)));
    }

    /** All that the CRD allows at once. */
    static RandomRoute worst() {
        return new RandomRoute(new Random(1), most -> most, most -> Math.min(most, 40));
    }

    RouteTask task() {
        var backends = new HashMap<BackendRef, Backend>();
        List<Rule> rules = list(16, () -> rule(backends));
        var listeners = new TreeMap<Hostname, List<String>>();
        for (Hostname host : list(16, this::hostname)) {
            listeners.put(host, list(4, () -> "infra/web/" + label(60)));
        }
        if (listeners.isEmpty()) {
            listeners.put(Hostname.ANY, List.of("infra/web/http"));
        }
        return new RouteTask(
                new Name(label(63), label(253)),
                optional(() -> Instant.EPOCH),
                rules,
                backends,
                rules.stream().map(rule -> optional(this::caching)).toList(),
                Map.of(GATEWAY, new RouteTask.Placement(listeners, optional(this::caching))));
    }

    private Rule rule(Map<BackendRef, Backend> backends) {
        List<BackendRef> refs = list(16, () -> {
            BackendRef ref = ref(filters(backends));
            backends.put(ref, backend());
            return ref;
        });
        var filters = new ArrayList<>(filters(backends));
        if (refs.isEmpty()) {
            filters.add(new Filter.Redirect(
                    optional(() -> "https"),
                    optional(this::hostname),
                    optional(this::path),
                    optional(this::port),
                    302));
        } else {
            filters.add(new Filter.Rewrite(optional(this::hostname), optional(this::path)));
        }
        return new Rule(
                optional(() -> label(253)),
                list(8, this::match),
                filters,
                refs,
                new Timeouts(optional(this::duration), optional(this::duration)),
                optional(() -> new Retry(
                        random.nextInt(101), list(16, () -> 400 + random.nextInt(200)), optional(this::duration))),
                Optional.empty());
    }

    private Match match() {
        PathMatch path = switch (random.nextInt(4)) {
            case 0 -> new PathMatch.Exact("/" + spelled(1023));
            case 1 -> new PathMatch.Prefix("/" + spelled(1023));
            case 2 -> new PathMatch.Pattern("/" + label(1023));
            default -> PathMatch.EVERYTHING;
        };
        return new Match(
                path,
                list(16, () -> new Match.HeaderMatch(label(256), value())),
                list(16, () -> new Match.QueryMatch(text(256), value())),
                optional(() -> "CONNECT"));
    }

    private ValueMatch value() {
        return random.nextBoolean() ? new ValueMatch.Exact(text(4096)) : new ValueMatch.Pattern(label(1024));
    }

    private List<Filter> filters(Map<BackendRef, Backend> backends) {
        var filters = new ArrayList<Filter>();
        optional(() -> new Filter.RequestHeaders(edits())).ifPresent(filters::add);
        optional(() -> new Filter.ResponseHeaders(edits())).ifPresent(filters::add);
        optional(() -> new Filter.Cors(
                        list(64, () -> "https://" + label(60)),
                        list(9, () -> "OPTIONS"),
                        list(64, () -> label(60)),
                        list(64, () -> label(60)),
                        random.nextBoolean() ? Filter.Credentials.ALLOWED : Filter.Credentials.WITHHELD,
                        random.nextInt() >>> 1))
                .ifPresent(filters::add);
        for (int i = count.applyAsInt(12); i > 0; i--) {
            BackendRef ref = ref(List.of());
            backends.put(ref, backend());
            filters.add(new Filter.Mirror(
                    ref, random.nextBoolean() ? Filter.Share.ALL : new Filter.Share(random.nextInt(1000), 1000)));
        }
        return filters;
    }

    private HeaderEdits edits() {
        return new HeaderEdits(list(16, this::header), list(16, this::header), list(16, () -> "x-" + label(250)));
    }

    private HeaderEdits.Header header() {
        return new HeaderEdits.Header("x-" + label(250), text(4096));
    }

    private BackendRef ref(List<Filter> filters) {
        return new BackendRef(
                new ObjectRef(GroupKind.SERVICE, Optional.of(label(63)), label(63)),
                Optional.of(port()),
                random.nextInt(1_000_001),
                filters);
    }

    private Backend backend() {
        return switch (random.nextInt(8)) {
            case 0 -> new Backend.Refused(new Refusal(Reason.BACKEND_NOT_FOUND, "gone"));
            case 1 -> new Backend.Withheld(ResourceId.of(GroupKind.BACKEND_TLS_POLICY, "a", "b"), "no");
            default ->
                new Backend.Serving(
                        new Name(label(63), label(63)),
                        port(),
                        random.nextBoolean() ? new TargetPort.Numbered(port()) : new TargetPort.Named(label(15)),
                        optional(() -> label(63)),
                        Backend.Protocol.HTTP,
                        optional(() -> new Backend.Tls(
                                ResourceId.of(GroupKind.BACKEND_TLS_POLICY, "a", "b"),
                                hostname(),
                                List.of(),
                                List.of())));
        };
    }

    private CacheRules caching() {
        return new CacheRules(
                ResourceId.of(GroupKind.CACHE_POLICY, "a", "b"),
                optional(() -> random.nextLong() >>> 1),
                optional(() -> random.nextLong() >>> 1),
                random.nextLong() >>> 1,
                random.nextLong() >>> 1,
                new CacheKey(list(32, () -> label(64)), list(32, () -> text(64)), list(32, () -> text(64))),
                list(32, () -> new BypassHeader(label(64), optional(() -> text(256)))));
    }

    private PathEdit path() {
        return random.nextBoolean() ? new PathEdit.Full("/" + text(1023)) : new PathEdit.Prefix("/" + text(1023));
    }

    private Hostname hostname() {
        return new Hostname(label(60) + random.nextInt(1000) + "." + label(60));
    }

    private Duration duration() {
        return Duration.ofNanos(random.nextLong() >>> 1);
    }

    private Port port() {
        return new Port(1 + random.nextInt(65_535));
    }

    private String label(int most) {
        return "a".repeat(1 + length.applyAsInt(most - 1));
    }

    private String text(int most) {
        return random.ints(length.applyAsInt(most), 0, LETTERS.size())
                .mapToObj(LETTERS::get)
                .collect(Collectors.joining());
    }

    // What the CRD lets through, in normal form or not.
    private String spelled(int most) {
        return random.ints(length.applyAsInt(most) / 3, 0, SPELLINGS.size())
                .mapToObj(SPELLINGS::get)
                .collect(Collectors.joining());
    }

    private <T> Optional<T> optional(Supplier<T> value) {
        return count.applyAsInt(1) > 0 ? Optional.of(value.get()) : Optional.empty();
    }

    private <T> List<T> list(int most, Supplier<T> value) {
        return IntStream.range(0, count.applyAsInt(most))
                .mapToObj(i -> value.get())
                .toList();
    }
}
