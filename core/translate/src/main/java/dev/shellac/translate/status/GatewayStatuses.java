package dev.shellac.translate.status;

import dev.shellac.model.DataPlane;
import dev.shellac.model.gateway.FrontendTls;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.attach.BoundGateway;
import dev.shellac.translate.attach.BoundGateway.BoundSet;
import dev.shellac.translate.attach.BoundListener;
import dev.shellac.translate.resolve.Parameters;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Status of GatewayClasses, Gateways and ListenerSets.
 *
 * @param attached how many routes each listener has, by key
 */
public record GatewayStatuses(Map<String, Integer> attached) {
    private static final Set<String> OF_CLASS = Set.of(Conditions.ACCEPTED);

    public static GatewayClassStatus of(GatewayClass ours, Parameters parameters, List<String> features) {
        var factory = new Conditions(ours.meta().generation());
        String note =
                parameters.missingVcl(ours).map(why -> "; " + why.message()).orElse("");
        return new GatewayClassStatus(
                ConditionSet.of(factory.unless(
                                Conditions.ACCEPTED,
                                parameters.refusal(ours),
                                Reason.ACCEPTED,
                                "the class is served by this controller" + note))
                        .keepingForeign(ours.status().conditions(), OF_CLASS),
                features);
    }

    public GatewayStatus of(BoundGateway bound, Optional<DataPlane> dataPlane, List<String> warnings) {
        Gateway gateway = bound.gateway();
        var factory = new Conditions(gateway.meta().generation());
        var conditions = new ArrayList<Condition>();
        Condition accepted = accepted(factory, bound, warnings);
        conditions.add(accepted);
        conditions.add(programmed(factory, bound, accepted, dataPlane));
        if (gateway.clientCertificate().isPresent() || bound.missingVcl().isPresent()) {
            conditions.add(factory.resolvedRefs(bound.clientCertificateRefusal().or(bound::missingVcl)));
        }
        if (validatesInsecurely(gateway)) {
            conditions.add(factory.yes(
                    Conditions.INSECURE,
                    Reason.CONFIGURATION_CHANGED,
                    "AllowInsecureFallback: clients without a valid certificate are let in"));
        }
        return new GatewayStatus(
                dataPlane.map(DataPlane::addresses).orElse(List.of()),
                new ConditionSet(conditions).keepingForeign(gateway.status().conditions(), Conditions.OURS),
                new ListenerStatuses(factory, bound.refusal(), dataPlane, attached)
                        .of(bound.listeners(), gateway.status().listeners()),
                bound.refusal().isPresent()
                        ? 0
                        : (int) bound.sets().stream()
                                .filter(BoundSet::isAccepted)
                                .count());
    }

    private static Condition accepted(Conditions factory, BoundGateway bound, List<String> warnings) {
        if (bound.refusal().isPresent()) {
            return factory.no(Conditions.ACCEPTED, bound.refusal().get());
        }
        List<String> bad = bound.listeners().stream()
                .filter(listener -> !listener.isAccepted())
                .map(listener -> listener.listener().name())
                .toList();
        if (bad.isEmpty()) {
            return factory.yes(
                    Conditions.ACCEPTED,
                    Reason.ACCEPTED,
                    Stream.concat(Stream.of("the Gateway is valid"), warnings.stream())
                            .collect(Collectors.joining("; ")));
        }
        String message = Stream.concat(
                        Stream.of("not valid: listener " + MessageText.list(", ", bad)), warnings.stream())
                .collect(Collectors.joining("; "));
        return bad.size() == bound.listeners().size()
                ? factory.no(Conditions.ACCEPTED, Reason.LISTENERS_NOT_VALID, message)
                : factory.yes(Conditions.ACCEPTED, Reason.LISTENERS_NOT_VALID, message);
    }

    private static Condition programmed(
            Conditions factory, BoundGateway bound, Condition accepted, Optional<DataPlane> dataPlane) {
        if (!accepted.holds()) {
            return factory.no(Conditions.PROGRAMMED, Reason.INVALID, accepted.message());
        }
        if (bound.all().noneMatch(BoundListener::isServing)) {
            return factory.no(Conditions.PROGRAMMED, Reason.INVALID, "no listener can serve");
        }
        if (dataPlane.isEmpty()) {
            return factory.no(Conditions.PROGRAMMED, Reason.PENDING, "the data plane has not reported yet");
        }
        return fault(bound.gateway(), dataPlane.get())
                .map(why -> factory.no(Conditions.PROGRAMMED, why))
                .orElseGet(() -> factory.yes(Conditions.PROGRAMMED, Reason.PROGRAMMED, serves(dataPlane.get())));
    }

    // While a rollout stands still the pods before it serve all that is asked for.
    private static String serves(DataPlane report) {
        return "the Gateway serves"
                + report.obstacle()
                        .map(why -> ", without all of its pods: " + why)
                        .orElse("");
    }

    private static Optional<Refusal> fault(Gateway gateway, DataPlane report) {
        return conflict(report)
                .or(() -> gateway.addresses().stream()
                        .flatMap(wanted -> wanted.value().stream())
                        .filter(report.unusableAddresses()::containsKey)
                        .findFirst()
                        .map(address -> new Refusal(
                                Reason.ADDRESS_NOT_USABLE,
                                address + ": " + report.unusableAddresses().get(address))))
                .or(() -> report.vclFault().map(fault -> new Refusal(Reason.INVALID, "the VCL was refused: " + fault)))
                .or(() -> report.pending().or(report.late()::overdue).map(why -> new Refusal(Reason.PENDING, why)))
                .or(() -> report.addresses().isEmpty()
                        ? Optional.of(new Refusal(Reason.ADDRESS_NOT_ASSIGNED, "no address was assigned yet"))
                        : Optional.empty());
    }

    private static Optional<Refusal> conflict(DataPlane report) {
        return report.conflicts().isEmpty()
                ? Optional.empty()
                : Optional.of(new Refusal(Reason.CONFLICTED, MessageText.list("; ", report.conflicts())));
    }

    private static boolean validatesInsecurely(Gateway gateway) {
        return gateway.frontendTls().stream()
                .flatMap(tls -> Stream.concat(
                        tls.fallback().stream(), tls.byPort().values().stream().flatMap(Optional::stream)))
                .anyMatch(validation -> validation.mode() == FrontendTls.Mode.ALLOW_INSECURE_FALLBACK);
    }

    public ListenerSetStatus of(BoundSet bound, BoundGateway gateway, Optional<DataPlane> dataPlane) {
        var factory = new Conditions(bound.set().meta().generation());
        Optional<Refusal> asWhole = bound.refusal()
                .or(() -> gateway.refusal()
                        .map(why -> new Refusal(
                                Reason.PARENT_NOT_ACCEPTED,
                                gateway.gateway().id() + " is not accepted: " + why.message())));
        Optional<Refusal> refusal = asWhole.or(() -> bound.isAccepted()
                ? Optional.empty()
                : Optional.of(new Refusal(Reason.LISTENERS_NOT_VALID, "none of its listeners can serve")));
        boolean allGood = bound.listeners().stream().allMatch(BoundListener::isAccepted);
        Condition accepted = factory.unless(
                Conditions.ACCEPTED,
                refusal,
                allGood ? Reason.ACCEPTED : Reason.LISTENERS_NOT_VALID,
                allGood
                        ? "the listeners are part of " + gateway.gateway().id()
                        : "some of its listeners are not valid");
        return new ListenerSetStatus(
                ConditionSet.of(accepted, programmed(factory, refusal, dataPlane))
                        .keepingForeign(bound.set().status().conditions(), Conditions.OURS),
                new ListenerStatuses(factory, asWhole, dataPlane, attached)
                        .of(bound.listeners(), bound.set().status().listeners()));
    }

    private static Condition programmed(Conditions factory, Optional<Refusal> refusal, Optional<DataPlane> dataPlane) {
        if (refusal.isPresent()) {
            return factory.no(Conditions.PROGRAMMED, refusal.get());
        }
        return factory.unless(
                Conditions.PROGRAMMED, ListenerStatuses.pending(dataPlane), Reason.PROGRAMMED, "the listeners serve");
    }
}
