package dev.shellac.translate.attach;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.DefaultScope;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.Settings;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Decides which listeners a route attaches to. */
public record Attachments(Snapshot snapshot, Gateways gateways, Settings.MissingParents missing) {
    /** One attachment for each parent reference that is ours to judge. */
    public List<Attachment> of(HttpRoute route) {
        var attachments = new ArrayList<Attachment>();
        for (ParentRef parent : parents(route)) {
            ResourceId id = parent.resolve(route.meta().name().namespace());
            if (id.type().equals(GroupKind.GATEWAY)) {
                gateways.find(id.name())
                        .map(bound -> attach(route, parent, bound.name(), bound.listeners()))
                        .or(() -> absent(parent, id))
                        .ifPresent(attachments::add);
            } else if (id.type().equals(GroupKind.LISTENER_SET)) {
                gateways.ofSet(id.name())
                        .map(bound -> attachToSet(route, parent, bound, id))
                        .or(() -> absent(parent, id))
                        .ifPresent(attachments::add);
            }
        }
        return attachments;
    }

    // A route that asks for the default Gateways has them as parents without naming them.
    private List<ParentRef> parents(HttpRoute route) {
        var parents = new ArrayList<>(route.parents());
        if (route.defaultGateways() == DefaultScope.ALL) {
            gateways.byName().values().stream()
                    .map(BoundGateway::gateway)
                    .filter(gateway -> gateway.defaultScope() == DefaultScope.ALL)
                    .map(gateway -> ParentRef.to(gateway.id()))
                    .filter(parent -> parents.stream().noneMatch(named -> sameObject(route, named, parent)))
                    .forEach(parents::add);
        }
        return parents;
    }

    private static boolean sameObject(HttpRoute route, ParentRef one, ParentRef other) {
        String home = route.meta().name().namespace();
        return one.resolve(home).equals(other.resolve(home));
    }

    private Optional<Attachment> absent(ParentRef parent, ResourceId id) {
        boolean exists = id.type().equals(GroupKind.GATEWAY)
                ? snapshot.find(Gateway.class, id.name()).isPresent()
                : snapshot.find(ListenerSet.class, id.name()).isPresent();
        if (exists || missing == Settings.MissingParents.SOMEBODY_ELSES) {
            return Optional.empty();
        }
        return Optional.of(new Attachment(
                parent,
                Optional.empty(),
                Optional.of(new Refusal(Reason.NO_MATCHING_PARENT, id + " does not exist")),
                List.of()));
    }

    private Attachment attachToSet(HttpRoute route, ParentRef parent, BoundGateway bound, ResourceId id) {
        BoundGateway.BoundSet set = bound.sets().stream()
                .filter(candidate -> candidate.set().id().equals(id))
                .findFirst()
                .orElseThrow();
        return set.refusal()
                .map(why -> refused(
                        parent,
                        bound.name(),
                        Reason.NOT_ALLOWED_BY_LISTENERS,
                        id + " is not accepted: " + why.message()))
                .orElseGet(() -> attach(route, parent, bound.name(), set.listeners()));
    }

    // The order of the questions is the order of the reasons: is it the parent that was meant, may it attach, does a
    // hostname fit. Each is asked of the listeners that passed the one before, so that one listener passes all.
    private Attachment attach(HttpRoute route, ParentRef parent, Name gateway, List<BoundListener> all) {
        List<BoundListener> meant = filter(
                all,
                listener -> parent.sectionName()
                                .map(listener.listener().name()::equals)
                                .orElse(true)
                        && parent.port().map(listener.listener().port()::equals).orElse(true));
        if (meant.isEmpty()) {
            return refused(parent, gateway, Reason.NO_MATCHING_PARENT, "no listener" + wanted(parent));
        }
        List<BoundListener> open = filter(
                meant,
                listener -> listener.isAccepted()
                        && listener.kinds().contains(GroupKind.HTTP_ROUTE)
                        && admits(listener, route));
        if (open.isEmpty()) {
            return refused(parent, gateway, Reason.NOT_ALLOWED_BY_LISTENERS, closed(meant, route));
        }
        List<BoundListener> fitting = filter(
                open,
                listener ->
                        hostnames(route).stream().anyMatch(listener.listener().hostname()::intersects));
        if (fitting.isEmpty()) {
            return refused(
                    parent,
                    gateway,
                    Reason.NO_MATCHING_LISTENER_HOSTNAME,
                    "no hostname of the route fits a listener" + wanted(parent) + ": "
                            + MessageText.list(
                                    ", ",
                                    open,
                                    listener -> listener.listener().name() + " serves "
                                            + listener.listener().hostname()));
        }
        return new Attachment(parent, Optional.of(gateway), Optional.empty(), fitting);
    }

    private boolean admits(BoundListener listener, HttpRoute route) {
        String guest = route.meta().name().namespace();
        return listener.listener()
                .allowedRoutes()
                .namespaces()
                .admits(
                        guest,
                        Gateways.labels(snapshot, guest),
                        listener.owner().namespace());
    }

    private String closed(List<BoundListener> meant, HttpRoute route) {
        return MessageText.list(
                "; ", meant, listener -> "listener " + listener.listener().name() + " " + why(listener, route));
    }

    private String why(BoundListener listener, HttpRoute route) {
        if (!listener.isAccepted()) {
            return "is not accepted itself";
        }
        return admits(listener, route)
                ? "takes no HTTPRoute"
                : "takes no routes from namespace " + route.meta().name().namespace()
                        + ": its allowedRoutes.namespaces decides";
    }

    /** The hostnames that a route asks for: any, if it names none. */
    public static List<Hostname> hostnames(HttpRoute route) {
        return route.hostnames().isEmpty() ? List.of(Hostname.ANY) : route.hostnames();
    }

    /** By hostname of the route, the keys of the listeners where it has an effect. */
    public static Map<Hostname, List<String>> placement(HttpRoute route, List<Attachment> attachments, Name gateway) {
        var placement = new TreeMap<Hostname, List<String>>();
        for (Hostname hostname : hostnames(route)) {
            List<String> keys = attachments.stream()
                    .filter(attachment -> attachment.gateway().equals(Optional.of(gateway)))
                    .flatMap(attachment -> attachment.listeners().stream())
                    .filter(listener -> listener.isServing()
                            && listener.listener().hostname().intersects(hostname))
                    .map(BoundListener::key)
                    .distinct()
                    .sorted()
                    .toList();
            if (!keys.isEmpty()) {
                placement.put(hostname, keys);
            }
        }
        return placement;
    }

    private static String wanted(ParentRef parent) {
        return parent.sectionName().map(name -> " named " + name).orElse("")
                + parent.port().map(port -> " on port " + port).orElse("");
    }

    private static Attachment refused(ParentRef parent, Name gateway, Reason reason, String message) {
        return new Attachment(parent, Optional.of(gateway), Optional.of(new Refusal(reason, message)), List.of());
    }

    private static List<BoundListener> filter(List<BoundListener> listeners, Predicate<BoundListener> test) {
        return listeners.stream().filter(test).toList();
    }
}
