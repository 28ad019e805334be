package dev.shellac.translate.attach;

import dev.shellac.model.Port;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The ports of one Gateway. In every pod each socket of varnishd occupies a thread per pool for good, so both the Gateway and what one foreign
 * namespace may bring to it have a bound. Pods have sockets for plain HTTP in steps of 16, and those of a Gateway that needs more are replaced, caches
 * included: only the Gateway's own namespace can cause that. Sockets are counted from the ports that are there; pods may have more, which {@code Slots} of the operator keeps. The Gateway's own listeners, of which the API allows 64, always fit; ListenerSets
 * follow oldest first.
 */
public final class PortLimit {
    /** All distinct ports of a Gateway. */
    public static final int MOST = 64;

    /** Ports that ListenerSets of one other namespace may add to those that are there without them. */
    public static final int MOST_OF_A_NAMESPACE = 16;

    /** Of these, ports of plain HTTP: one namespace cannot take all sockets that are free, and push out what others have. */
    public static final int MOST_PLAIN_OF_A_NAMESPACE = 4;

    /** Pods start with sockets for so many ports of plain HTTP, and get as many more each time. */
    public static final int SOCKETS_STEP = 16;

    private final String home;
    private final Set<Port> ports = new HashSet<>();
    private final Set<Port> plain = new HashSet<>();
    private final Map<String, Integer> added = new HashMap<>();
    private final Map<String, Integer> addedPlain = new HashMap<>();

    PortLimit(String home) {
        this.home = home;
    }

    /** The listeners of the next object, those beyond a bound refused. */
    List<BoundListener> admit(List<BoundListener> listeners) {
        return listeners.stream()
                .map(listener -> listener.isAccepted()
                        ? refusal(listener).map(listener::refused).orElse(listener)
                        : listener)
                .toList();
    }

    private Optional<Refusal> refusal(BoundListener listener) {
        Port port = listener.listener().port();
        if (ports.contains(port)) {
            return Optional.empty();
        }
        String namespace = listener.owner().namespace();
        if (ports.size() >= MOST) {
            return unavailable("port " + port + " is one too many: a Gateway serves at most " + MOST
                    + " different ports, and objects that come before this one use them all; use one of their ports");
        }
        if (!namespace.equals(home) && added.getOrDefault(namespace, 0) >= MOST_OF_A_NAMESPACE) {
            return unavailable("port " + port + " is one too many: ListenerSets of namespace " + namespace
                    + " may add at most " + MOST_OF_A_NAMESPACE
                    + " ports to this Gateway; use a port that the Gateway has already");
        }
        if (!listener.isHttps()) {
            Optional<Refusal> refusal = plainRefusal(port, namespace);
            if (refusal.isPresent()) {
                return refusal;
            }
            plain.add(port);
            addedPlain.merge(namespace, 1, Integer::sum);
        }
        ports.add(port);
        added.merge(namespace, 1, Integer::sum);
        return Optional.empty();
    }

    private Optional<Refusal> plainRefusal(Port port, String namespace) {
        if (namespace.equals(home)) {
            return Optional.empty();
        }
        if (addedPlain.getOrDefault(namespace, 0) >= MOST_PLAIN_OF_A_NAMESPACE) {
            return unavailable(
                    "port " + port + " is one too many: ListenerSets of namespace " + namespace
                            + " may add at most " + MOST_PLAIN_OF_A_NAMESPACE
                            + " HTTP ports to this Gateway; use a port that the Gateway has already, or have a listener with this port added to the Gateway");
        }
        return needsMoreSockets()
                ? unavailable("no socket is free for HTTP port " + port + ": the " + plain.size()
                        + " HTTP ports of this Gateway use all that are counted for its pods, and only a listener of namespace "
                        + home
                        + " can have the pods replaced by ones with more; use a port that the Gateway has already,"
                        + " or have a listener with this port added to the Gateway")
                : Optional.empty();
    }

    private boolean needsMoreSockets() {
        return !plain.isEmpty() && plain.size() % SOCKETS_STEP == 0;
    }

    private static Optional<Refusal> unavailable(String message) {
        return Optional.of(new Refusal(Reason.PORT_UNAVAILABLE, message));
    }
}
