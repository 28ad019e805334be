package dev.shellac.translate.status;

import dev.shellac.model.DataPlane.Effect;
import dev.shellac.model.DataPlane.TableRefusal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What the data plane refused of a route, for the route's status. */
record RefusedParts(List<TableRefusal> refusals) {
    // Gateway API, PartiallyInvalid: the message of dropped rules starts with these words.
    private static final String DROPPED = "Dropped Rules: not served ";

    RefusedParts {
        refusals = List.copyOf(refusals);
    }

    /** The gravest refusal; nothing where patterns are only waiting, since the route is served in its previous version until they are compiled. */
    Optional<String> message() {
        return refusals.stream()
                .filter(refusal -> refusal.effect() != Effect.DEFERRED)
                .min(Comparator.comparing(TableRefusal::effect))
                .map(this::message);
    }

    private String message(TableRefusal refusal) {
        String where = where(refusal);
        String why = part(refusal) + refusal.message();
        return switch (refusal.effect()) {
            case HOST_OMITTED, ROUTE_OMITTED ->
                DROPPED + (where.isEmpty() ? "on one of its hosts" : where) + ": " + why
                        + "; requests for this route there are answered 404, or by other routes";
            case UNAVAILABLE -> join("requests", where) + " that need this are answered 503: " + why;
            case UNCACHED -> join("served without its cache policy", where) + ": " + why;
            case PARTIAL, DEFERRED -> join("served in part", where) + ": " + why;
        };
    }

    private String where(TableRefusal refusal) {
        boolean anotherHost = refusals.stream()
                .anyMatch(other ->
                        other.effect() == refusal.effect() && !other.host().equals(refusal.host()));
        return refusal.host()
                .map(host -> "on host " + host + (anotherHost ? " and others" : ""))
                .orElse("");
    }

    private static String part(TableRefusal refusal) {
        return refusal.rule() == TableRefusal.ALL ? "" : "rule " + refusal.rule() + ", match " + refusal.match() + ": ";
    }

    private static String join(String what, String where) {
        return where.isEmpty() ? what : what + " " + where;
    }
}
