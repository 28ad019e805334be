package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.RouteTask;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A route with everything that was decided about it. */
record JudgedRoute(
        HttpRoute route,
        List<Attachment> attachments,
        RouteTask task,
        CompiledRoute compiled,
        Optional<RouteStatus> status) {
    JudgedRoute {
        attachments = List.copyOf(attachments);
    }

    /** The attachments that count: those of a route that is accepted. */
    Stream<Attachment> accepted() {
        return compiled.refusal().isPresent()
                ? Stream.empty()
                : attachments.stream().filter(attachment -> attachment.refusal().isEmpty());
    }

    Stream<Name> gateways() {
        return accepted().flatMap(attachment -> attachment.gateway().stream()).distinct();
    }
}
