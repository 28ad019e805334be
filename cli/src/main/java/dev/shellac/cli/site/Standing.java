package dev.shellac.cli.site;

import dev.shellac.decode.Finding;
import dev.shellac.model.DataPlane;
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
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Listeners and routes, and how each of them stands. */
public record Standing(List<Door> doors, List<Way> paths) {
    /** A listener; one of a ListenerSet is named after it. */
    public record Door(
            String gateway, String listener, String protocol, int port, String hostname, int routes, String state) {}

    /** A route and one of its parents. */
    public record Way(String route, String hosts, String parent, int rules, String state) {}

    public Standing {
        doors = List.copyOf(doors);
        paths = List.copyOf(paths);
    }

    public static Standing of(Site site) {
        return new Standing(doors(site), paths(site));
    }

    /** Whether a data plane answers requests with what it was last given. */
    static boolean isServing(DataPlane report) {
        return !report.addresses().isEmpty() && report.pending().isEmpty();
    }

    private static List<Door> doors(Site site) {
        var doors = new ArrayList<Door>();
        for (Gateway gateway : site.snapshot().all(Gateway.class)) {
            Name name = gateway.meta().name();
            Optional<GatewayStatus> status =
                    Optional.ofNullable(site.outcome().statuses().gateways().get(name));
            gateway.listeners()
                    .forEach(listener -> doors.add(door(
                            name.toString(),
                            listener,
                            status.map(GatewayStatus::conditions),
                            status.map(GatewayStatus::listeners).orElse(List.of()),
                            good(site, gateway.id()))));
        }
        for (ListenerSet set : site.snapshot().all(ListenerSet.class)) {
            Name name = set.meta().name();
            Optional<ListenerSetStatus> status =
                    Optional.ofNullable(site.outcome().statuses().listenerSets().get(name));
            set.listeners()
                    .forEach(listener -> doors.add(door(
                            set.id().toString(),
                            listener,
                            status.map(ListenerSetStatus::conditions),
                            status.map(ListenerSetStatus::listeners).orElse(List.of()),
                            good(site, set.id()))));
        }
        return doors;
    }

    private static Door door(
            String owner,
            Listener listener,
            Optional<ConditionSet> whole,
            List<ListenerStatus> listeners,
            String good) {
        Optional<ListenerStatus> own = listeners.stream()
                .filter(status -> status.name().equals(listener.name()))
                .findFirst();
        String state = whole.isEmpty()
                ? "not ours"
                : own.map(ListenerStatus::conditions)
                        .flatMap(conditions -> firstFalse(conditions, "Accepted", "ResolvedRefs", "Programmed"))
                        .or(() -> whole.flatMap(conditions -> firstFalse(conditions, "Accepted", "Programmed")))
                        .orElse(good);
        return new Door(
                owner,
                listener.name(),
                listener.protocol(),
                listener.port().value(),
                listener.hostname().value(),
                own.map(ListenerStatus::attachedRoutes).orElse(0),
                state);
    }

    private static List<Way> paths(Site site) {
        var paths = new ArrayList<Way>();
        for (HttpRoute route : site.snapshot().all(HttpRoute.class)) {
            Name name = route.meta().name();
            String hosts = route.hostnames().isEmpty()
                    ? "of its listeners"
                    : route.hostnames().stream().map(Hostname::value).collect(Collectors.joining(","));
            RouteStatus status = site.outcome().statuses().httpRoutes().getOrDefault(name, RouteStatus.NONE);
            if (status.parents().isEmpty()) {
                paths.add(new Way(name.toString(), hosts, "-", route.rules().size(), "attached nowhere"));
            }
            for (RouteStatus.Parent parent : status.parents()) {
                ResourceId to = parent.parentRef().resolve(name.namespace());
                paths.add(new Way(
                        name.toString(),
                        hosts,
                        to.name()
                                + parent.parentRef()
                                        .sectionName()
                                        .map(section -> "/" + section)
                                        .orElse(""),
                        route.rules().size(),
                        state(site, parent, to).orElseGet(() -> good(site, route.id()))));
            }
        }
        return paths;
    }

    // Nothing if a request would get to it.
    private static Optional<String> state(Site site, RouteStatus.Parent parent, ResourceId to) {
        return firstFalse(parent.conditions(), "Accepted", "ResolvedRefs")
                .or(() -> parent.conditions()
                        .find("PartiallyInvalid")
                        .filter(Condition::holds)
                        .map(found -> "in part: " + found.reason()))
                .or(() -> conditions(site, to).flatMap(whole -> firstFalse(whole, "Accepted", "Programmed")));
    }

    private static Optional<ConditionSet> conditions(Site site, ResourceId parent) {
        return parent.type().equals(GroupKind.GATEWAY)
                ? Optional.ofNullable(site.outcome().statuses().gateways().get(parent.name()))
                        .map(GatewayStatus::conditions)
                : Optional.ofNullable(site.outcome().statuses().listenerSets().get(parent.name()))
                        .map(ListenerSetStatus::conditions);
    }

    // Of what nobody runs it can only be said that nothing is wrong with it.
    private static String good(Site site, ResourceId id) {
        return (site.running().isPresent() ? "serving" : "valid")
                + Optional.ofNullable(site.reading().stale().get(id))
                        .map(why -> ", as it last was: " + words(site, why))
                        .orElse("");
    }

    private static String words(Site site, Finding why) {
        String place = why.at().toString();
        String folder = site.folder() + "/";
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
