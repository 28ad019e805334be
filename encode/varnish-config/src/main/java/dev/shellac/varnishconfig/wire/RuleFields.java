package dev.shellac.varnishconfig.wire;

import dev.shellac.model.route.Retry;
import dev.shellac.model.route.Timeouts;
import dev.shellac.translate.plan.Origin;
import java.time.Duration;

/** Where a route came from, how long it may take and when it is tried again. */
public final class RuleFields {
    private static final int MOST_RULE_NAME = 256;

    private RuleFields() {}

    public static void origin(JsonWriter json, Origin origin) {
        json.field("route_name", origin.route().toString());
        origin.ruleName()
                .filter(name -> name.length() <= MOST_RULE_NAME)
                .ifPresent(name -> json.field("rule_name", name));
        json.name("origin")
                .open('{')
                .field("rule", origin.rule())
                .field("match", origin.match())
                .close('}');
    }

    public static void timeouts(JsonWriter json, Timeouts timeouts) {
        if (!timeouts.equals(Timeouts.NONE)) {
            json.name("timeouts").open('{');
            timeouts.request().ifPresent(limit -> json.field("request_ms", milliseconds(limit)));
            timeouts.backendRequest().ifPresent(limit -> json.field("backend_request_ms", milliseconds(limit)));
            json.close('}');
        }
    }

    public static void retry(JsonWriter json, Retry retry) {
        json.name("retry").open('{').field("attempts", retry.attempts());
        if (!retry.codes().isEmpty()) {
            json.name("codes").open('[');
            retry.codes().forEach(json::number);
            json.close(']');
        }
        retry.backoff().ifPresent(backoff -> json.field("backoff_ms", milliseconds(backoff)));
        json.close('}');
    }

    // Rounded up: 0 means no limit, which is not what somebody meant by half a millisecond.
    private static long milliseconds(Duration duration) {
        return duration.plusNanos(999_999).toMillis();
    }
}
