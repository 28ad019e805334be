package dev.shellac.explain;

import dev.shellac.explain.Explanation.Owner;
import dev.shellac.explain.request.HostName;
import dev.shellac.explain.request.Request;
import dev.shellac.explain.request.Url;
import dev.shellac.explain.table.Filters;
import dev.shellac.explain.table.Filters.Edit;
import dev.shellac.explain.table.Filters.PathEdit;
import dev.shellac.explain.table.Filters.Redirect;
import dev.shellac.explain.table.Route;
import dev.shellac.explain.table.Route.Group;
import dev.shellac.explain.table.Route.Target;
import dev.shellac.explain.table.Table;
import dev.shellac.explain.table.Table.Pool;
import dev.shellac.explain.table.Table.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a route does with a request that it took. */
public record Handling(Table table, Request request, Owner listener, Route route) {
    private static final int INVALID = 500;

    public Answer answer(Draw draw) {
        Filters filters = route.filters();
        if (filters.cors().isPresent() && request.preflightMethod().isPresent()) {
            return new Answer.Preflight(CrossOrigin.preflight(filters.cors().get(), request));
        }
        if (filters.redirect().isPresent()) {
            return new Answer.Redirected(
                    filters.redirect().get().status(),
                    location(filters.redirect().get()));
        }
        return forward(draw);
    }

    private Answer forward(Draw draw) {
        List<Group> groups = route.traffic().groups();
        int point = Draw.scale(draw.group(), totalWeight());
        int reached = 0;
        for (int i = 0; i < groups.size(); i++) {
            Group group = groups.get(i);
            reached += group.weight();
            if (point < reached) {
                return group(i, group, draw);
            }
        }
        return new Answer.Invalid();
    }

    private Answer group(int index, Group group, Draw draw) {
        if (group.target() instanceof Target.Invalid) {
            return new Answer.Invalid();
        }
        return endpoint(group.target(), draw.endpoint())
                .<Answer>map(endpoint -> new Answer.Forwarded(index, group, endpoint))
                .orElseGet(() -> group.onEmpty() == INVALID ? new Answer.Invalid() : new Answer.Unavailable());
    }

    public long totalWeight() {
        return route.traffic().groups().stream().mapToLong(Group::weight).sum();
    }

    /** The endpoint of a group or mirror. */
    public Optional<String> endpoint(Target target, long draw) {
        Pool pool = pool(target);
        return switch (pool.select()) {
            case HASH ->
                StableHash.choose(
                        pool.endpoints(), request.host().map(HostName::value).orElse(""), request.target());
            case RANDOM ->
                pool.endpoints().stream()
                        .skip(Draw.scale(draw, pool.endpoints().size()))
                        .findFirst();
        };
    }

    public Pool pool(Target target) {
        return switch (target) {
            case Target.Invalid invalid -> Pool.EMPTY;
            case Target.Inline inline -> inline.pool();
            case Target.Named named -> table.pools().getOrDefault(named.pool(), Pool.EMPTY);
        };
    }

    /** The URL for the backend, if it is another than the client's. */
    public Optional<String> url(Group group) {
        Optional<PathEdit> edit =
                group.filters().path().or(() -> route.filters().path());
        Url url = request.url();
        return edit.map(found -> url.withPath(found.apply(url.path())));
    }

    /** The host for the backend, if it is another than the client's. */
    public Optional<String> hostname(Group group) {
        return group.filters().hostname().or(() -> route.filters().hostname());
    }

    /** The rule's, then the group's. */
    public List<Edit> requestEdits(Group group) {
        var edits = new ArrayList<>(route.filters().request());
        edits.addAll(group.filters().request());
        return edits;
    }

    /** On the way back: the group's, then the rule's, then CORS. */
    public List<Edit> responseEdits(Group group) {
        var edits = new ArrayList<>(group.filters().response());
        edits.addAll(route.filters().response());
        route.filters().cors().ifPresent(cors -> edits.addAll(CrossOrigin.response(cors, request)));
        return edits;
    }

    /** How much of a body is kept for further tries and mirrors; 0 where there are none. */
    public long bufferBytes() {
        boolean retries =
                route.traffic().retry().filter(retry -> retry.attempts() > 0).isPresent();
        return retries || !route.filters().mirrors().isEmpty() ? route.traffic().bufferBytes() : 0;
    }

    public Optional<CacheDecision> cacheDecision() {
        return route.cache().map(policy -> new CacheDecision(policy, request));
    }

    private String location(Redirect redirect) {
        Scheme scheme = redirect.scheme().orElse(listener.scheme());
        String header = request.first("host").orElse("");
        String host = redirect.hostname().or(() -> HostName.bare(header)).orElse("");
        // Gateway API, HTTPRequestRedirectFilter.port: a scheme without a port means that scheme's own; with neither,
        // the client stays on the listener's.
        int port = redirect.port()
                .or(() -> redirect.scheme().map(Scheme::port))
                .or(listener::port)
                .or(() -> HostName.port(header))
                .orElse(scheme.port());
        Url url = request.url();
        String path = redirect.path().map(edit -> edit.apply(url.path())).orElse(url.path());
        return scheme + "://" + host + (port == scheme.port() ? "" : ":" + port) + url.withPath(path);
    }
}
