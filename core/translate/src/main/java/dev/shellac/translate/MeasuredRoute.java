package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.plan.RouteAge;
import dev.shellac.translate.plan.RouteTask;
import java.util.List;

/**
 * A route before it is known whether its Gateways have room for it.
 *
 * @param task as if they had
 * @param sizes what it would take in the table of each
 */
record MeasuredRoute(HttpRoute route, List<Attachment> attachments, RouteTask task, PersistentMap<Name, Long> sizes) {
    MeasuredRoute {
        attachments = List.copyOf(attachments);
    }

    static RouteAge age(HttpRoute route) {
        return new RouteAge(route.meta().created(), route.meta().name());
    }
}
