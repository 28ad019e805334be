package dev.shellac.translate.status;

import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.MessageText;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Status of routes: one entry for each parent that is ours, and those of other controllers as they were. */
public record RouteStatuses(String controllerName) {
    /**
     * The status of a route; nothing where neither we nor our past self have a word on it.
     *
     * @param refused what the data plane of an attachment's Gateway refused of this route
     */
    public Optional<RouteStatus> of(
            HttpRoute route,
            List<Attachment> attachments,
            CompiledRoute compiled,
            Function<Attachment, List<TableRefusal>> refused) {
        boolean hadOurs = route.status().parents().stream()
                .anyMatch(parent -> parent.controllerName().equals(controllerName));
        if (attachments.isEmpty() && !hadOurs) {
            return Optional.empty();
        }
        Stream<RouteStatus.Parent> foreign = route.status().parents().stream()
                .filter(parent -> !parent.controllerName().equals(controllerName));
        Stream<RouteStatus.Parent> ours = attachments.stream()
                .map(attachment -> new RouteStatus.Parent(
                        attachment.parent(),
                        controllerName,
                        conditions(route, attachment, compiled, refused.apply(attachment))));
        return Optional.of(new RouteStatus(Stream.concat(foreign, ours).toList()));
    }

    private static ConditionSet conditions(
            HttpRoute route, Attachment attachment, CompiledRoute compiled, List<TableRefusal> refused) {
        var factory = new Conditions(route.meta().generation());
        Optional<Refusal> refusal = attachment.refusal().or(compiled::refusal).or(() -> unread(route));
        var conditions = new ArrayList<Condition>();
        conditions.add(factory.unless(Conditions.ACCEPTED, refusal, Reason.ACCEPTED, accepted(attachment)));
        conditions.add(factory.resolvedRefs(compiled.refs()));
        if (refusal.isEmpty()) {
            partial(compiled, refused)
                    .map(why -> factory.yes(Conditions.PARTIALLY_INVALID, why.reason(), why.message()))
                    .ifPresent(conditions::add);
        }
        return new ConditionSet(conditions);
    }

    private static Optional<Refusal> unread(HttpRoute route) {
        return route.meta()
                .decodeError()
                .map(why -> new Refusal(
                        Reason.UNSUPPORTED_VALUE,
                        "this version of the route is invalid"
                                + (route.rules().isEmpty() ? "" : "; the previous version stays in effect") + ": "
                                + why));
    }

    private static String accepted(Attachment attachment) {
        return "attached to "
                + MessageText.list(
                        ", ",
                        attachment.listeners(),
                        listener -> "listener " + listener.listener().name());
    }

    private static Optional<Refusal> partial(CompiledRoute compiled, List<TableRefusal> refused) {
        Optional<String> parts = new RefusedParts(refused).message();
        return compiled.partial()
                .map(own -> new Refusal(
                        own.reason(),
                        own.message() + parts.map(more -> "; " + more).orElse("")))
                .or(() -> parts.map(why -> new Refusal(Reason.UNSUPPORTED_VALUE, why)));
    }
}
