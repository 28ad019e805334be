package dev.shellac.varnishd.ghost;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What ghost says to a reload. */
public sealed interface ReloadAnswer {
    /**
     * The table is live, without what was refused.
     *
     * @param hash the writer's name of the table
     * @param refusals a thousand of them at most, as many of each namespace as of any other
     * @param refused all of them
     * @param deferred patterns that ghost goes on with by itself
     */
    record Live(
            Optional<String> hash,
            long hosts,
            long routes,
            long endpoints,
            long refused,
            long deferred,
            List<Refusal> refusals,
            Duration took)
            implements ReloadAnswer {
        public Live {
            refusals = List.copyOf(refusals);
        }
    }

    /**
     * Nothing changed.
     *
     * @param hash of the table that stays live
     */
    record Rejected(String field, String error, Optional<String> hash, long routes) implements ReloadAnswer {}

    /** It could not be asked, or did not answer: read again later. */
    record Unreachable(String why) implements ReloadAnswer {}

    /**
     * A part of the table that ghost refuses.
     *
     * @param position in the routes of that host, where the mistake is in one of them
     * @param effect what becomes of it, such as {@code route-omitted}
     */
    record Refusal(
            String vhost, String route, Optional<Integer> position, String field, String effect, String message) {}
}
