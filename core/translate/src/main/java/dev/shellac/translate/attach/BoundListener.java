package dev.shellac.translate.attach;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.Listener;
import dev.shellac.translate.plan.ListenerPlan.ClientPlan;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * A listener and everything that was found out about it.
 *
 * @param conflict it and another cannot both have the port
 * @param refusal it asks for something that we do not do
 * @param refs some of its references lead nowhere
 * @param kinds the kinds of routes that may attach
 * @param certificates those of its certificates that are good
 * @param overlaps another HTTPS listener on the port shares some of its hosts
 */
public record BoundListener(
        ResourceId owner,
        Listener listener,
        Optional<Refusal> conflict,
        Optional<Refusal> refusal,
        Optional<Refusal> refs,
        List<GroupKind> kinds,
        List<ResourceId> certificates,
        Optional<ClientPlan> clients,
        Optional<String> overlaps) {
    public BoundListener {
        kinds = List.copyOf(kinds);
        certificates = List.copyOf(certificates);
    }

    /** Unique among all listeners of all Gateways. */
    public String key() {
        String path = owner.name() + "/" + listener.name();
        return owner.type().equals(GroupKind.LISTENER_SET) ? "listenerset/" + path : path;
    }

    public boolean isAccepted() {
        return conflict.isEmpty() && refusal.isEmpty();
    }

    /** Routes attach to a listener that is accepted even if it cannot serve them: its certificate may come later. */
    public boolean isServing() {
        return isAccepted() && !kinds.isEmpty() && (!isHttps() || !certificates.isEmpty());
    }

    public boolean isHttps() {
        return listener.protocol().equals("HTTPS");
    }

    BoundListener lost(Refusal why) {
        return new BoundListener(
                owner, listener, Optional.of(why), refusal, refs, kinds, certificates, clients, overlaps);
    }

    BoundListener refused(Refusal why) {
        return new BoundListener(
                owner, listener, conflict, Optional.of(why), refs, kinds, certificates, clients, overlaps);
    }

    /** With these of its certificates alone, because of that. */
    BoundListener without(Refusal why, List<ResourceId> kept) {
        return new BoundListener(
                owner, listener, conflict, refusal, refs.or(() -> Optional.of(why)), kinds, kept, clients, overlaps);
    }

    BoundListener overlapping(String other) {
        return new BoundListener(
                owner, listener, conflict, refusal, refs, kinds, certificates, clients, Optional.of(other));
    }
}
