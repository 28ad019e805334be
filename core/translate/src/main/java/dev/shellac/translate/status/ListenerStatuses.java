package dev.shellac.translate.status;

import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.translate.attach.BoundListener;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The status of listeners, of a Gateway or a ListenerSet.
 *
 * @param owner why the Gateway or the ListenerSet is refused as a whole
 * @param attached how many routes each listener has, by key
 */
record ListenerStatuses(
        Conditions factory, Optional<Refusal> owner, Optional<DataPlane> dataPlane, Map<String, Integer> attached) {
    List<ListenerStatus> of(List<BoundListener> listeners, List<ListenerStatus> before) {
        return listeners.stream()
                .map(listener -> new ListenerStatus(
                        listener.listener().name(),
                        attached.getOrDefault(listener.key(), 0),
                        conditions(listener).keepingForeign(foreign(listener, before), Conditions.OURS),
                        listener.kinds()))
                .toList();
    }

    private static ConditionSet foreign(BoundListener listener, List<ListenerStatus> before) {
        return before.stream()
                .filter(status -> status.name().equals(listener.listener().name()))
                .findFirst()
                .map(ListenerStatus::conditions)
                .orElse(ConditionSet.NONE);
    }

    private ConditionSet conditions(BoundListener listener) {
        Optional<Refusal> refused = refusal(listener);
        var conditions = new ArrayList<Condition>();
        conditions.add(factory.unless(Conditions.ACCEPTED, refused, Reason.ACCEPTED, "the listener is valid"));
        conditions.add(programmed(listener, refused));
        conditions.add(factory.resolvedRefs(listener.refs().or(() -> refused(listener.certificates()))));
        conditions.add(listener.conflict()
                .map(why -> factory.yes(Conditions.CONFLICTED, why.reason(), why.message()))
                .orElseGet(() -> factory.no(Conditions.CONFLICTED, Reason.NO_CONFLICTS, "the port is its own")));
        listener.overlaps()
                .map(other -> factory.yes(
                        Conditions.OVERLAPPING, Reason.OVERLAPPING_HOSTNAMES, "shares hosts with listener " + other))
                .ifPresent(conditions::add);
        return new ConditionSet(conditions);
    }

    private Optional<Refusal> refusal(BoundListener listener) {
        return listener.conflict().or(listener::refusal).or(() -> unavailable(listener));
    }

    private Optional<Refusal> unavailable(BoundListener listener) {
        return dataPlane
                .flatMap(report -> Optional.ofNullable(
                        report.unavailablePorts().get(listener.listener().port())))
                .map(why -> new Refusal(
                        Reason.PORT_UNAVAILABLE, "port " + listener.listener().port() + " cannot be opened: " + why));
    }

    private Condition programmed(BoundListener listener, Optional<Refusal> refused) {
        if (listener.conflict().isPresent()) {
            return factory.no(Conditions.PROGRAMMED, listener.conflict().get());
        }
        if (refused.isPresent()) {
            return factory.no(
                    Conditions.PROGRAMMED, Reason.INVALID, refused.get().message());
        }
        if (!listener.isServing()) {
            String why = listener.refs().map(Refusal::message).orElse("no kind of route can attach");
            return factory.no(Conditions.PROGRAMMED, Reason.INVALID, why);
        }
        if (owner.isPresent()) {
            return factory.no(Conditions.PROGRAMMED, Reason.INVALID, owner.get().message());
        }
        Optional<Refusal> bare = bare(listener);
        if (bare.isPresent()) {
            return factory.no(Conditions.PROGRAMMED, Reason.INVALID, bare.get().message());
        }
        return factory.unless(
                Conditions.PROGRAMMED,
                pending(dataPlane).or(() -> late(listener)),
                Reason.PROGRAMMED,
                "the listener serves");
    }

    /** A certificate that is not served with yet, or whose successor is not. */
    private Optional<Refusal> late(BoundListener listener) {
        Map<Name, String> late =
                dataPlane.map(report -> report.late().secrets()).orElse(Map.of());
        return listener.certificates().stream()
                .filter(certificate -> late.containsKey(certificate.name()))
                .findFirst()
                .map(certificate -> new Refusal(Reason.PENDING, certificate + ": " + late.get(certificate.name())));
    }

    /** No certificate of an HTTPS listener was taken, so nobody can be greeted. */
    private Optional<Refusal> bare(BoundListener listener) {
        List<Optional<Refusal>> refusals = listener.certificates().stream()
                .map(certificate -> refused(List.of(certificate)))
                .toList();
        return refusals.stream().allMatch(Optional::isPresent)
                ? refusals.stream().flatMap(Optional::stream).findFirst()
                : Optional.empty();
    }

    /** What the data plane says of a certificate that we found nothing wrong with. */
    private Optional<Refusal> refused(List<ResourceId> certificates) {
        Map<Name, String> refused =
                dataPlane.map(DataPlane::refusedCertificates).orElse(Map.of());
        return certificates.stream()
                .filter(certificate -> refused.containsKey(certificate.name()))
                .findFirst()
                .map(certificate -> new Refusal(
                        Reason.INVALID_CERTIFICATE_REF,
                        certificate + " is refused: " + refused.get(certificate.name())));
    }

    /** Why nothing is served yet. */
    static Optional<Refusal> pending(Optional<DataPlane> dataPlane) {
        if (dataPlane.isEmpty()) {
            return Optional.of(new Refusal(Reason.PENDING, "the data plane has not reported yet"));
        }
        return dataPlane.get().conflicts().isEmpty()
                ? dataPlane.get().pending().map(why -> new Refusal(Reason.PENDING, why))
                : Optional.of(new Refusal(
                        Reason.PENDING,
                        "the Gateway cannot have all of its objects; its condition Programmed names the conflict"));
    }
}
