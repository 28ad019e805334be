package dev.shellac.translate.attach;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.gateway.AddressRequest;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.translate.Settings;
import dev.shellac.translate.attach.BoundGateway.BoundSet;
import dev.shellac.translate.resolve.Certificates;
import dev.shellac.translate.resolve.Parameters;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import dev.shellac.translate.resolve.Resolved;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** All Gateways of ours, bound to their listeners. */
public record Gateways(Map<Name, BoundGateway> byName, List<GatewayClass> classes) {
    private static final Set<String> ADDRESS_TYPES = Set.of("IPAddress", "Hostname");

    public Gateways {
        byName = Copies.of(byName);
        classes = List.copyOf(classes);
    }

    public static Gateways bind(Snapshot snapshot, Settings settings) {
        List<GatewayClass> classes = snapshot.all(GatewayClass.class).stream()
                .filter(candidate -> candidate.controllerName().equals(settings.controllerName()))
                .toList();
        Set<String> names =
                classes.stream().map(ours -> ours.meta().name().name()).collect(Collectors.toSet());
        var bound = new HashMap<Name, BoundGateway>();
        for (Gateway gateway : snapshot.all(Gateway.class)) {
            if (names.contains(gateway.className()) && gateway.meta().deleted().isEmpty()) {
                bound.put(gateway.meta().name(), new Binding(snapshot, gateway, settings).bind());
            }
        }
        return new Gateways(bound, classes);
    }

    public Optional<BoundGateway> find(Name name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The Gateway that a ListenerSet belongs to, if it is one of ours. */
    public Optional<BoundGateway> ofSet(Name set) {
        return byName.values().stream()
                .filter(bound -> bound.sets().stream()
                        .anyMatch(candidate -> candidate.set().meta().name().equals(set)))
                .findFirst();
    }

    /** Whether a Gateway takes listeners from the namespace of a set. */
    public static boolean admits(Snapshot snapshot, Gateway gateway, ListenerSet set) {
        String guest = set.meta().name().namespace();
        return gateway.allowedListeners()
                .admits(guest, labels(snapshot, guest), gateway.meta().name().namespace());
    }

    /** Whether every route fares the same with the others: all but what only the status of a Gateway shows. */
    public boolean agreesForRoutes(Gateways other) {
        return byName.keySet().equals(other.byName.keySet())
                && byName.entrySet().stream()
                        .allMatch(found -> other.find(found.getKey())
                                .filter(found.getValue()::agreesForRoutes)
                                .isPresent());
    }

    private record Binding(Snapshot snapshot, Gateway gateway, Settings settings) {
        BoundGateway bind() {
            Certificates certificates = Certificates.of(snapshot);
            var check = new ListenerCheck(gateway, certificates, settings.tls());
            var ports = new PortLimit(gateway.meta().name().namespace());
            var room = new CertificateLimit(snapshot, gateway);
            var listenerLimit = new ListenerLimit(gateway.meta().name().namespace());
            List<BoundListener> own = room.admit(
                    ports.admit(Conflicts.settle(checked(check, gateway.id(), gateway.listeners()), List.of())));
            var earlier = new ArrayList<>(own);
            var sets = new ArrayList<BoundSet>();
            for (ListenerSet set : setsOldestFirst()) {
                Optional<Refusal> refusal = refusal(set).or(() -> listenerLimit.refusal(set));
                List<BoundListener> listeners = refusal.isPresent()
                        ? List.of()
                        : room.admit(ports.admit(Conflicts.settle(checked(check, set.id(), set.listeners()), earlier)));
                earlier.addAll(listeners);
                sets.add(new BoundSet(set, refusal, listeners));
            }
            Optional<Resolved<ResourceId>> client = gateway.clientCertificate()
                    .map(ref -> shown(certificates.keyPair(gateway.id(), ref, Reason.INVALID_CLIENT_CERTIFICATE_REF)));
            return new BoundGateway(
                    gateway,
                    overlaps(own, earlier),
                    sets.stream()
                            .map(set -> new BoundSet(set.set(), set.refusal(), overlaps(set.listeners(), earlier)))
                            .toList(),
                    unread().or(() -> Parameters.of(snapshot).refusal(gateway)).or(() -> unsupportedAddress()),
                    client.flatMap(found -> found instanceof Resolved.Found<ResourceId> good
                            ? Optional.of(good.value())
                            : Optional.empty()),
                    client.flatMap(found -> found instanceof Resolved.Refused<ResourceId> bad
                            ? Optional.of(bad.why())
                            : Optional.empty()),
                    Parameters.of(snapshot).missingVcl(gateway));
        }

        private Resolved<ResourceId> shown(Resolved<ResourceId> client) {
            return client instanceof Resolved.Found<ResourceId> found && settings.upstream() == Settings.Upstream.PLAIN
                    ? new Resolved.Refused<>(new Refusal(
                            Reason.INVALID_CLIENT_CERTIFICATE_REF,
                            found.value() + " is shown to no backend: TLS to backends is not supported yet"))
                    : client;
        }

        private static List<BoundListener> checked(ListenerCheck check, ResourceId owner, List<Listener> listeners) {
            return listeners.stream()
                    .map(listener -> check.check(owner, listener))
                    .toList();
        }

        private List<ListenerSet> setsOldestFirst() {
            return snapshot.all(ListenerSet.class).stream()
                    .filter(set -> set.parent().type().equals(GroupKind.GATEWAY)
                            && set.meta().deleted().isEmpty()
                            && set.parent()
                                    .resolve(set.meta().name().namespace())
                                    .equals(gateway.id()))
                    .sorted(Comparator.comparing(ListenerSet::meta, Metadata.byAge()))
                    .toList();
        }

        private Optional<Refusal> refusal(ListenerSet set) {
            return admits(snapshot, gateway, set)
                    ? Optional.empty()
                    : Optional.of(new Refusal(
                            Reason.NOT_ALLOWED,
                            gateway.id() + " takes no listeners from namespace "
                                    + set.meta().name().namespace()
                                    + ": its spec.allowedListeners decides"));
        }

        private Optional<Refusal> unread() {
            return gateway.meta()
                    .decodeError()
                    .map(why -> new Refusal(Reason.INVALID, "this version of the Gateway is invalid: " + why));
        }

        private Optional<Refusal> unsupportedAddress() {
            return gateway.addresses().stream()
                    .filter(address -> !ADDRESS_TYPES.contains(address.type())
                            || address.routability().isPresent())
                    .findFirst()
                    .map(address -> new Refusal(Reason.UNSUPPORTED_ADDRESS, unsupported(address)));
        }

        private static String unsupported(AddressRequest address) {
            return address.routability()
                    .map(routability -> "routability " + routability + " of an address is not supported")
                    .orElse("addresses of type " + address.type() + " are not supported; IPAddress and Hostname are");
        }

        // Gateway API: HTTPS listeners of one port that share hosts are told so, because a client may reuse a
        // connection that was made for the other.
        private static List<BoundListener> overlaps(List<BoundListener> listeners, List<BoundListener> all) {
            return listeners.stream()
                    .map(listener -> all.stream()
                            .filter(other -> overlap(listener, other))
                            .findFirst()
                            .map(other -> listener.overlapping(other.listener().name() + " of " + other.owner()))
                            .orElse(listener))
                    .toList();
        }

        private static boolean overlap(BoundListener one, BoundListener other) {
            // Keys are made anew each time they are asked for, so they come last.
            return one.isHttps()
                    && other.isHttps()
                    && one.isAccepted()
                    && other.isAccepted()
                    && one.listener().port().equals(other.listener().port())
                    && one.listener().hostname().intersects(other.listener().hostname())
                    && !one.key().equals(other.key());
        }
    }

    /** The labels of a namespace; a namespace that is not in the snapshot still has its name. */
    static Map<String, String> labels(Snapshot snapshot, String namespace) {
        return snapshot.find(Namespace.class, new Name("", namespace))
                .map(found -> found.meta().labels())
                .orElse(Map.of("kubernetes.io/metadata.name", namespace));
    }
}
