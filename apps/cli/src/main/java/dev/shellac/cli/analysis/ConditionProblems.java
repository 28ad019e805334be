package dev.shellac.cli.analysis;

import dev.shellac.decode.Finding.Severity;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.translate.status.Statuses;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The conditions of a translation that say that something is not as its author wants it. */
record ConditionProblems(FolderAnalysis analysis) {
    /** True is bad. */
    private static final Set<String> BAD = Set.of("Conflicted", "PartiallyInvalid");
    /** True is worth a look. */
    private static final Set<String> ODD = Set.of("OverlappingTLSConfig", "InsecureFrontendValidationMode");
    /** Often follows from another. */
    private static final Set<String> LATER = Set.of("Conflicted", "Programmed");

    Stream<Problem> problems() {
        Statuses statuses = analysis.outcome().statuses();
        return Stream.of(
                        statuses.gatewayClasses().entrySet().stream()
                                .flatMap(found -> of(
                                        id(GroupKind.GATEWAY_CLASS, found.getKey()),
                                        "",
                                        found.getValue().conditions())),
                        statuses.gateways().entrySet().stream()
                                .flatMap(found -> listening(
                                        id(GroupKind.GATEWAY, found.getKey()),
                                        found.getValue().conditions(),
                                        found.getValue().listeners())),
                        statuses.listenerSets().entrySet().stream()
                                .flatMap(found -> listening(
                                        id(GroupKind.LISTENER_SET, found.getKey()),
                                        found.getValue().conditions(),
                                        found.getValue().listeners())),
                        statuses.httpRoutes().entrySet().stream()
                                .flatMap(found -> found.getValue().parents().stream()
                                        .flatMap(parent -> of(
                                                id(GroupKind.HTTP_ROUTE, found.getKey()),
                                                "parent " + words(parent.parentRef(), found.getKey()),
                                                parent.conditions()))),
                        policies(GroupKind.BACKEND_TLS_POLICY, statuses.backendTlsPolicies()),
                        policies(GroupKind.CACHE_POLICY, statuses.cachePolicies()),
                        statuses.cacheInvalidations().entrySet().stream()
                                .flatMap(found -> of(
                                        id(GroupKind.CACHE_INVALIDATION, found.getKey()),
                                        "",
                                        found.getValue().conditions())))
                .flatMap(all -> all);
    }

    private Stream<Problem> listening(ResourceId id, ConditionSet own, List<ListenerStatus> listeners) {
        return Stream.concat(
                of(id, "", own),
                listeners.stream().flatMap(status -> of(id, part(status.name()), status.conditions())));
    }

    /** The part of a Gateway or ListenerSet that a listener is. */
    static String part(String listener) {
        return "listener " + listener;
    }

    private Stream<Problem> policies(GroupKind type, Map<Name, PolicyStatus> statuses) {
        return statuses.entrySet().stream()
                .flatMap(found -> found.getValue().ancestors().stream()
                        .flatMap(ancestor -> of(
                                id(type, found.getKey()),
                                "for " + words(ancestor.ancestorRef(), found.getKey()),
                                ancestor.conditions())));
    }

    private Stream<Problem> of(ResourceId id, String part, ConditionSet conditions) {
        return conditions.conditions().stream()
                .filter(condition -> isWrong(condition) && !isToldByAnother(condition, conditions))
                .map(condition -> new Problem(
                        ODD.contains(condition.type()) ? Severity.WARNING : Severity.ERROR,
                        analysis.place(id),
                        id.toString(),
                        part,
                        condition.reason(),
                        condition.message()));
    }

    private static boolean isWrong(Condition condition) {
        boolean badIfTrue = BAD.contains(condition.type()) || ODD.contains(condition.type());
        return badIfTrue ? condition.holds() : condition.state() == Condition.State.FALSE;
    }

    // What is not accepted, or lacks something, is not programmed either, for the same reason.
    private static boolean isToldByAnother(Condition condition, ConditionSet all) {
        return LATER.contains(condition.type())
                && all.conditions().stream()
                        .anyMatch(other -> !LATER.contains(other.type())
                                && isWrong(other)
                                && other.message().equals(condition.message()));
    }

    private static ResourceId id(GroupKind type, Name name) {
        return new ResourceId(type, name);
    }

    private static String words(ParentRef ref, Name home) {
        return ref.resolve(home.namespace())
                + ref.sectionName().map(section -> " " + section).orElse("")
                + ref.port().map(port -> " port " + port).orElse("");
    }
}
