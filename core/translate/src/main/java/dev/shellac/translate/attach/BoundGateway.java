package dev.shellac.translate.attach;

import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Gateway of ours with all of its listeners.
 *
 * @param refusal why the Gateway as a whole is not accepted
 * @param clientCertificate what it shows to backends
 * @param clientCertificateRefusal why it cannot show one
 * @param missingVcl what is missing of the user's VCL
 */
public record BoundGateway(
        Gateway gateway,
        List<BoundListener> listeners,
        List<BoundSet> sets,
        Optional<Refusal> refusal,
        Optional<ResourceId> clientCertificate,
        Optional<Refusal> clientCertificateRefusal,
        Optional<Refusal> missingVcl) {
    /** A ListenerSet that names the Gateway; its listeners are none where it may not. */
    public record BoundSet(ListenerSet set, Optional<Refusal> refusal, List<BoundListener> listeners) {
        public BoundSet {
            listeners = List.copyOf(listeners);
        }

        boolean agreesForRoutes(BoundSet other) {
            return set.id().equals(other.set.id())
                    && refusal.equals(other.refusal)
                    && listeners.equals(other.listeners);
        }

        /** A set needs one listener that can serve; a Gateway may wait for its certificates, a set may not. */
        public boolean isAccepted() {
            return refusal.isEmpty() && listeners.stream().anyMatch(BoundListener::isServing);
        }
    }

    public BoundGateway {
        listeners = List.copyOf(listeners);
        sets = List.copyOf(sets);
    }

    public Name name() {
        return gateway.meta().name();
    }

    boolean agreesForRoutes(BoundGateway other) {
        return gateway.defaultScope() == other.gateway.defaultScope()
                && listeners.equals(other.listeners)
                && sets.size() == other.sets.size()
                && IntStream.range(0, sets.size()).allMatch(i -> sets.get(i).agreesForRoutes(other.sets.get(i)));
    }

    /** The listeners of the Gateway itself, then those of its sets, oldest set first. */
    public Stream<BoundListener> all() {
        return Stream.concat(listeners.stream(), sets.stream().flatMap(set -> set.listeners().stream()));
    }
}
