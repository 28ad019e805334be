package dev.shellac.cli.analysis;

import dev.shellac.cli.analysis.StatusReport.ListenerRow;
import dev.shellac.cli.analysis.StatusReport.RouteRow;
import dev.shellac.decode.Finding;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads from the conditions of a translation, and from what a run serves, how each listener and route stands. */
final class StatusReportRows {
    private static final String ACCEPTED = "Accepted";
    private static final String RESOLVED_REFS = "ResolvedRefs";
    private static final String PROGRAMMED = "Programmed";

    private final FolderAnalysis analysis;
    private final Map<ResourceId, ListenerOwner> owners = new LinkedHashMap<>();
    private final PlannedListeners planned;
    /** What answers requests, also where the folder asks for something else by now. */
    private final PlannedListeners live;

    StatusReportRows(FolderAnalysis analysis) {
        this.analysis = analysis;
        var statuses = analysis.outcome().statuses();
        analysis.snapshot()
                .all(Gateway.class)
                .forEach(gateway -> owners.put(gateway.id(), ListenerOwner.of(gateway, statuses)));
        analysis.snapshot()
                .all(ListenerSet.class)
                .forEach(set -> owners.put(set.id(), ListenerOwner.of(set, statuses)));
        this.planned = PlannedListeners.of(analysis.plans().stream());
        this.live = PlannedListeners.of(analysis.running().orElse(Map.of()).values().stream()
                .filter(RunningGateway::isServing)
                .flatMap(running -> running.live().stream()));
    }

    List<ListenerRow> listeners() {
        var listeners = new ArrayList<ListenerRow>();
        for (ListenerOwner owner : owners.values()) {
            for (Listener listener : owner.listeners()) {
                listeners.add(new ListenerRow(
                        owner.id().type().equals(GroupKind.GATEWAY)
                                ? owner.id().name().toString()
                                : owner.id().toString(),
                        listener.name(),
                        listener.protocol(),
                        listener.port().value(),
                        listener.hostname().value(),
                        owner.status(listener)
                                .map(ListenerStatus::attachedRoutes)
                                .orElse(0),
                        fault(owner, listener).orElseGet(() -> good(owner.id(), owner))));
            }
        }
        return listeners;
    }

    // Nothing if requests get to it.
    private Optional<String> fault(ListenerOwner owner, Listener listener) {
        if (owner.conditions().isEmpty()) {
            return Optional.of("not ours");
        }
        ConditionSet whole = owner.conditions().get();
        ConditionSet own =
                owner.status(listener).map(ListenerStatus::conditions).orElse(ConditionSet.NONE);
        // Programmed is about what the folder asks for. What is live serves on, whatever is pending.
        boolean isLive = live.has(owner.id(), listener.name());
        return firstFalse(own, ACCEPTED, RESOLVED_REFS)
                .or(() -> isLive ? Optional.empty() : firstFalse(own, PROGRAMMED))
                .or(() -> firstFalse(whole, ACCEPTED))
                .or(() -> isLive ? Optional.empty() : firstFalse(whole, PROGRAMMED));
    }

    List<RouteRow> routes() {
        var routes = new ArrayList<RouteRow>();
        for (HttpRoute route : analysis.snapshot().all(HttpRoute.class)) {
            Name name = route.meta().name();
            String hosts = route.hostnames().isEmpty()
                    ? "of its listeners"
                    : route.hostnames().stream().map(Hostname::value).collect(Collectors.joining(","));
            RouteStatus status = analysis.outcome().statuses().httpRoutes().getOrDefault(name, RouteStatus.NONE);
            if (status.parents().isEmpty()) {
                routes.add(
                        new RouteRow(name.toString(), hosts, "-", route.rules().size(), "attached nowhere"));
            }
            for (RouteStatus.Parent parent : status.parents()) {
                ResourceId to = parent.parentRef().resolve(name.namespace());
                routes.add(new RouteRow(
                        name.toString(),
                        hosts,
                        to.name()
                                + parent.parentRef()
                                        .sectionName()
                                        .map(section -> "/" + section)
                                        .orElse(""),
                        route.rules().size(),
                        state(route, parent, to)));
            }
        }
        return routes;
    }

    private String state(HttpRoute route, RouteStatus.Parent parent, ResourceId to) {
        Optional<ListenerOwner> owner = Optional.ofNullable(owners.get(to));
        return firstFalse(parent.conditions(), ACCEPTED, RESOLVED_REFS)
                .or(() -> owner.flatMap(found -> fault(found, route.meta().name(), parent)))
                .or(() -> parent.conditions()
                        .find("PartiallyInvalid")
                        .filter(Condition::holds)
                        .map(found -> "in part: " + found.reason()))
                .orElseGet(() -> owner.map(found -> good(route.id(), found)).orElse("not ours"));
    }

    // Nothing if requests get to it through one of its listeners at least.
    private Optional<String> fault(ListenerOwner owner, Name route, RouteStatus.Parent parent) {
        List<Listener> named = owner.named(parent.parentRef());
        Set<String> attached = planned.names(owner.id(), route);
        List<Listener> own = named.stream()
                .filter(listener -> attached.isEmpty() || attached.contains(listener.name()))
                .toList();
        List<Optional<String>> faults =
                own.stream().map(listener -> fault(owner, listener)).toList();
        if (faults.stream().allMatch(Optional::isPresent)) {
            return faults.stream().flatMap(Optional::stream).findFirst();
        }
        Set<String> serving = live.names(owner.id(), route);
        return named.stream().map(Listener::name).anyMatch(serving::contains)
                ? Optional.empty()
                : owner.conditions().flatMap(whole -> firstFalse(whole, PROGRAMMED));
    }

    // Of what nobody runs it can only be said that nothing is wrong with it.
    private String good(ResourceId id, ListenerOwner owner) {
        String good = analysis.running().isPresent() ? "serving" : "valid";
        return Optional.ofNullable(analysis.reading().stale().get(id))
                .map(why -> good + ", as it last was: " + words(why))
                .or(() -> owner.conditions()
                        .flatMap(whole -> firstFalse(whole, PROGRAMMED))
                        .map(reason -> good + beside(reason)))
                .orElse(good);
    }

    // Why the Gateway does not serve all that the folder asks for, where it serves.
    private static String beside(String reason) {
        return switch (reason) {
            case "Pending" -> ", as it last was: a change is pending";
            case "Invalid" -> ", with the last good VCL";
            default -> "; " + reason;
        };
    }

    private String words(Finding why) {
        String place = why.at().toString();
        String folder = analysis.folder() + "/";
        String said = why.message().startsWith("cannot be read")
                ? "cannot be read"
                : why.message().startsWith("is empty")
                        ? "is empty"
                        : why.message().contains("is gone") ? "is gone" : "is not valid";
        return (place.startsWith(folder) ? place.substring(folder.length()) : place) + " " + said;
    }

    private static Optional<String> firstFalse(ConditionSet conditions, String... types) {
        for (String type : types) {
            Optional<Condition> found =
                    conditions.find(type).filter(condition -> condition.state() == Condition.State.FALSE);
            if (found.isPresent()) {
                return Optional.of(found.get().reason());
            }
        }
        return Optional.empty();
    }
}
