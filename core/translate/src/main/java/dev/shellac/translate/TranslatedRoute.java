package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.translate.RouteIndex.Reach;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.attach.BoundListener;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RouteTask;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A route with everything that was decided about it.
 *
 * @param sizes what it takes in the table of each Gateway, or would take if there were room
 */
record TranslatedRoute(
        HttpRoute route,
        List<Attachment> attachments,
        RouteTask task,
        PersistentMap<Name, Long> sizes,
        CompiledRoute compiled,
        Optional<RouteStatus> status) {
    TranslatedRoute {
        attachments = List.copyOf(attachments);
    }

    Stream<Name> gateways() {
        return accepted().flatMap(attachment -> attachment.gateway().stream()).distinct();
    }

    /** The keys of the listeners that it is attached to. */
    Stream<String> listeners() {
        return accepted()
                .flatMap(attachment -> attachment.listeners().stream())
                .map(BoundListener::key)
                .distinct();
    }

    /** The objects that it names as backends, whatever they are. */
    Stream<ResourceId> targets() {
        String home = route.meta().name().namespace();
        return route.rules().stream()
                .flatMap(RouteCompiler::references)
                .map(ref -> ref.target().resolve(home))
                .distinct();
    }

    Stream<Reach> reaches() {
        List<Name> gateways = gateways().toList();
        return targets().flatMap(target -> gateways.stream().map(gateway -> new Reach(target, gateway)));
    }

    // The attachments that count: those of a route that is accepted, or was until it could not be read any more.
    private Stream<Attachment> accepted() {
        boolean isNothing =
                route.meta().decodeError().isPresent() && route.rules().isEmpty();
        return compiled.refusal().isPresent() || isNothing
                ? Stream.empty()
                : attachments.stream().filter(attachment -> attachment.refusal().isEmpty());
    }
}
