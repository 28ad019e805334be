package dev.shellac.explain;

import dev.shellac.explain.table.Filters.Edit;
import dev.shellac.explain.table.Route.Group;
import java.util.List;

/** What becomes of a request that a route took. */
public sealed interface Answer {
    /** Sent elsewhere. */
    record Redirected(int status, String location) implements Answer {}

    /** A CORS preflight, answered with 200 and these headers. */
    record Preflight(List<Edit> headers) implements Answer {
        public Preflight {
            headers = List.copyOf(headers);
        }
    }

    /** 500: no group, or an invalid one, was drawn. */
    record Invalid() implements Answer {}

    /** 503: the group that was drawn has no endpoint. */
    record Unavailable() implements Answer {}

    /** Sent to an endpoint of a group. */
    record Forwarded(int index, Group group, String endpoint) implements Answer {}
}
