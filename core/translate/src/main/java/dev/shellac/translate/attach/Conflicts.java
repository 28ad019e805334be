package dev.shellac.translate.attach;

import dev.shellac.model.GroupKind;
import dev.shellac.model.gateway.Listener;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Listeners that cannot share a port. Gateway API, GatewaySpec.listeners: on one port, HTTP listeners need distinct
 * hostnames; HTTPS and TLS listeners together do too; TCP is alone, and UDP is another world. Within one object all parties
 * lose, because no order among them means anything; between objects the earlier one keeps the port.
 */
final class Conflicts {
    private enum Family {
        HTTP,
        TLS,
        TCP,
        UDP
    }

    private Conflicts() {}

    /**
     * The listeners of one object, those in conflict marked.
     *
     * @param earlier the listeners of objects that come before it
     */
    static List<BoundListener> settle(List<BoundListener> own, List<BoundListener> earlier) {
        List<BoundListener> winners =
                earlier.stream().filter(Conflicts::holdsItsPort).toList();
        // First against those who come before: one that lost to them is in nobody's way any more.
        List<BoundListener> left = own.stream()
                .map(listener -> conflict(listener, winners).map(listener::lost).orElse(listener))
                .toList();
        List<BoundListener> rivals =
                left.stream().filter(other -> other.conflict().isEmpty()).toList();
        return left.stream()
                .map(listener -> listener.conflict().isPresent()
                        ? listener
                        : conflict(listener, rivals).map(listener::lost).orElse(listener))
                .toList();
    }

    // A refused listener of a ListenerSet serves nothing and holds no port. One of the Gateway holds it: no tenant may
    // take a port that the owner
    // has listed.
    private static boolean holdsItsPort(BoundListener listener) {
        return listener.conflict().isEmpty()
                && (listener.refusal().isEmpty() || listener.owner().type().equals(GroupKind.GATEWAY));
    }

    private static Optional<Refusal> conflict(BoundListener listener, List<BoundListener> others) {
        // Among a thousand listeners it is looked at a million times: what most pairs differ in comes first.
        return others.stream()
                .filter(other -> mayClash(listener.listener(), other.listener())
                        && !other.key().equals(listener.key()))
                .flatMap(other -> clash(listener.listener(), other).stream())
                .findFirst();
    }

    private static boolean mayClash(Listener one, Listener other) {
        return one.port().equals(other.port())
                && (one.hostname().equals(other.hostname()) || !one.protocol().equals(other.protocol()));
    }

    private static Optional<Refusal> clash(Listener listener, BoundListener holder) {
        Listener other = holder.listener();
        Optional<Family> mine = family(listener);
        Optional<Family> its = family(other);
        if (!listener.port().equals(other.port()) || mine.isEmpty() || its.isEmpty()) {
            return Optional.empty();
        }
        String where = "listener " + other.name() + " of " + holder.owner();
        if (!mine.equals(its)) {
            boolean apart = mine.get() == Family.UDP || its.get() == Family.UDP;
            return apart
                    ? Optional.empty()
                    : Optional.of(new Refusal(
                            Reason.PROTOCOL_CONFLICT,
                            "port " + listener.port() + " cannot be " + listener.protocol() + " here and "
                                    + other.protocol() + " in " + where + ": use another port"));
        }
        return listener.hostname().equals(other.hostname())
                ? Optional.of(new Refusal(
                        Reason.HOSTNAME_CONFLICT,
                        "port " + listener.port() + " with "
                                + (listener.hostname().isAny() ? "no hostname" : "hostname " + listener.hostname())
                                + " is taken by " + where + ": use another port or hostname"))
                : Optional.empty();
    }

    private static Optional<Family> family(Listener listener) {
        return switch (listener.protocol()) {
            case "HTTP" -> Optional.of(Family.HTTP);
            case "HTTPS", "TLS" -> Optional.of(Family.TLS);
            case "TCP" -> Optional.of(Family.TCP);
            case "UDP" -> Optional.of(Family.UDP);
            default -> Optional.empty();
        };
    }
}
