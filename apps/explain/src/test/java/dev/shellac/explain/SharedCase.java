package dev.shellac.explain;

import dev.shellac.explain.Explanation.Verdict;
import dev.shellac.explain.request.Request;
import dev.shellac.explain.table.CachePolicy.Ttl;
import dev.shellac.explain.table.Filters.Edit;
import dev.shellac.explain.table.Refusal;
import dev.shellac.explain.table.Route.Group;
import dev.shellac.explain.table.Route.Retry;
import dev.shellac.explain.table.Table;
import dev.shellac.explain.table.TableReader;
import dev.shellac.explain.table.TableReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Prints what becomes of the requests of a case, as the README of the cases says. */
final class SharedCase {
    private static final Pattern REFUSED =
            Pattern.compile("refused (\\S+) vhost=(.*) route=(.*) rule=(\\d+|-) field=(.*)");

    private record Asked(Request request, Draw draw) {}

    private final StringBuilder out = new StringBuilder();

    private SharedCase() {}

    static String run(String json, String requests, String expected) {
        List<String> refused =
                expected.lines().filter(line -> line.startsWith("refused ")).toList();
        return switch (TableReader.read(
                json, refused.stream().map(SharedCase::refusal).toList())) {
            case TableReading.Refused whole ->
                "table refused " + (whole.field().isEmpty() ? "-" : whole.field()) + "\n";
            case TableReading.Read read -> {
                var printed = new SharedCase();
                refused.forEach(line -> printed.out.append(line).append('\n'));
                requests(requests).forEach(asked -> printed.request(read.table(), asked));
                yield printed.out.toString();
            }
        };
    }

    private static Refusal refusal(String line) {
        Matcher found = REFUSED.matcher(line);
        if (!found.matches()) {
            throw new AssertionError(line);
        }
        return new Refusal(
                Refusal.Effect.valueOf(found.group(1).toUpperCase(Locale.ROOT).replace('-', '_')),
                found.group(2),
                found.group(4).equals("-") ? Optional.empty() : Optional.of(Integer.valueOf(found.group(4))),
                found.group(5));
    }

    private static List<Asked> requests(String text) {
        var all = new ArrayList<Asked>();
        String bare = text.lines().filter(line -> !line.startsWith("#")).collect(Collectors.joining("\n"));
        for (String block : bare.strip().split("\n\\s*\n", -1)) {
            if (!block.isBlank()) {
                all.add(asked(block.strip().lines().toList()));
            }
        }
        return all;
    }

    private static Asked asked(List<String> lines) {
        String[] first = lines.getFirst().split(" ", 2);
        String socket = "http-80";
        Optional<Integer> port = Optional.empty();
        Optional<String> serverName = Optional.empty();
        Draw draw = Draw.LOWEST;
        var headers = new ArrayList<Request.Header>();
        for (String line : lines.subList(1, lines.size())) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "@socket" -> socket = words[1];
                case "@port" -> port = Optional.of(Integer.valueOf(words[1]));
                case "@sni" -> serverName = Optional.of(words[1]);
                case "@random" -> draw = Draw.of(Double.parseDouble(words[1]), Double.parseDouble(words[2]));
                default -> {
                    int colon = line.indexOf(':');
                    headers.add(new Request.Header(
                            line.substring(0, colon), line.substring(colon + 1).strip()));
                }
            }
        }
        return new Asked(new Request(socket, port, serverName, first[0], first[1], headers), draw);
    }

    private void request(Table table, Asked asked) {
        if (!out.isEmpty()) {
            out.append('\n');
        }
        Request request = asked.request();
        out.append(request.method()).append(' ').append(request.target()).append('\n');
        Explanation explanation = new Explainer(table).explain(request);
        switch (explanation.verdict()) {
            case Verdict.Missed missed -> line(missed.miss().status() + " " + missed.miss());
            case Verdict.Taken taken -> {
                var origin = taken.route().origin();
                var listener = explanation.listener().orElseThrow();
                line("route " + (origin.name().isEmpty() ? "-" : origin.name()) + " rule " + origin.rule() + " match "
                        + origin.match() + " host " + taken.host().name() + " listener " + listener.name());
                answer(new Handling(table, request, listener, taken.route()), asked.draw());
            }
        }
    }

    private void answer(Handling handling, Draw draw) {
        switch (handling.answer(draw)) {
            case Answer.Redirected redirected -> line(redirected.status() + " redirect " + redirected.location());
            case Answer.Preflight preflight -> {
                line("200 preflight");
                edits("response", preflight.headers());
            }
            case Answer.Invalid invalid -> line("500 invalid");
            case Answer.Unavailable unavailable -> line("503 unavailable");
            case Answer.Forwarded forwarded -> {
                line("forward group " + forwarded.index() + " endpoint " + forwarded.endpoint());
                forwarded(handling, forwarded.group());
            }
        }
    }

    private void forwarded(Handling handling, Group group) {
        handling.url(group).ifPresent(url -> line("url " + url));
        handling.hostname(group).ifPresent(host -> line("host " + host));
        edits("request", handling.requestEdits(group));
        edits("response", handling.responseEdits(group));
        handling.route().filters().mirrors().forEach(mirror -> {
            if (mirror.isOfAll()) {
                line("mirror " + handling.endpoint(mirror.target(), 0).orElse("-"));
            }
        });
        Attempt.of(handling.route().traffic().timeouts())
                .ifPresent(first -> line("timeout connect=" + first.connect() + " first_byte=" + first.firstByte()
                        + " between_bytes=" + first.betweenBytes() + " deadline="
                        + first.deadline().map(String::valueOf).orElse("none")));
        handling.route().traffic().retry().ifPresent(this::retry);
        if (handling.bufferBytes() > 0) {
            line("buffer " + handling.bufferBytes());
        }
        handling.cacheDecision().ifPresent(this::caching);
    }

    private void retry(Retry retry) {
        String codes = retry.codes().stream().map(String::valueOf).collect(Collectors.joining(","));
        line("retry attempts=" + retry.attempts() + " codes=" + codes + " connection_errors=" + retry.connectionErrors()
                + " backoff=" + retry.backoffMs());
    }

    private void caching(CacheDecision cacheDecision) {
        String ttl = switch (cacheDecision.policy().ttl()) {
            case Ttl.Origin origin -> "origin";
            case Ttl.Default some -> "default=" + some.seconds();
            case Ttl.Forced forced -> "forced=" + forced.seconds();
        };
        line("cache " + ttl + " grace=" + cacheDecision.policy().grace() + " keep="
                + cacheDecision.policy().keep() + " stale_if_error="
                + cacheDecision.policy().staleIfError());
        if (cacheDecision.bypass().isPresent()) {
            line("bypass");
        } else {
            cacheDecision.purgeKeys().forEach(key -> line("purge " + key));
        }
    }

    private void edits(String list, List<Edit> edits) {
        edits.forEach(edit -> line(list + " " + edit));
    }

    private void line(String text) {
        out.append("  ").append(text).append('\n');
    }
}
