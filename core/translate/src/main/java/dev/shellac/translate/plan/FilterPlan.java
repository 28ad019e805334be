package dev.shellac.translate.plan;

import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.translate.resolve.Backend;
import java.util.List;
import java.util.Optional;

/** What is done to a request and its response, each at most once; copies may go to several places. */
public record FilterPlan(
        HeaderEdits request,
        HeaderEdits response,
        Optional<Filter.Rewrite> rewrite,
        Optional<Filter.Redirect> redirect,
        Optional<Filter.Cors> cors,
        List<MirrorPlan> mirrors) {
    public static final FilterPlan NONE = new FilterPlan(
            HeaderEdits.NONE, HeaderEdits.NONE, Optional.empty(), Optional.empty(), Optional.empty(), List.of());

    /** A copy of a share of the requests. */
    public record MirrorPlan(Backend backend, Filter.Share share) {}

    public FilterPlan {
        mirrors = List.copyOf(mirrors);
    }
}
