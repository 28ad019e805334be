package dev.shellac.translate.attach;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.FrontendTls.ClientValidation;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerTls;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.Settings;
import dev.shellac.translate.plan.ListenerPlan.ClientPlan;
import dev.shellac.translate.resolve.Certificates;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import dev.shellac.translate.resolve.Resolved;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at one listener by itself: its protocol, kinds, certificates and clients. */
record ListenerCheck(Gateway gateway, Certificates certificates, Settings.Tls tls) {
    private static final List<GroupKind> KINDS = List.of(GroupKind.HTTP_ROUTE);

    BoundListener check(ResourceId owner, Listener listener) {
        Optional<String> unsupported = unsupported(listener.protocol());
        if (unsupported.isPresent()) {
            return refused(owner, listener, new Refusal(Reason.UNSUPPORTED_PROTOCOL, unsupported.get()));
        }
        if (!listener.filters().isEmpty()) {
            return refused(
                    owner,
                    listener,
                    new Refusal(
                            Reason.UNSUPPORTED_VALUE,
                            "filters of listeners are not supported: " + MessageText.list(", ", listener.filters())));
        }
        var certificate = new Gathered();
        if (listener.protocol().equals("HTTPS")) {
            certificatesOf(owner, listener, certificate);
        }
        var clients = new Gathered();
        Optional<ClientValidation> validation = listener.protocol().equals("HTTPS")
                ? gateway.frontendTls().flatMap(tls -> tls.at(listener.port()))
                : Optional.empty();
        validation.ifPresent(wanted -> authoritiesOf(wanted, clients));
        Optional<Refusal> noClients = validation.isPresent() && clients.found.isEmpty()
                ? clients.refusal.map(why -> new Refusal(Reason.NO_VALID_CA_CERTIFICATE, why.message()))
                : Optional.empty();
        return new BoundListener(
                owner,
                listener,
                Optional.empty(),
                noClients,
                certificate.refusal.or(() -> clients.refusal).or(() -> foreignKinds(listener)),
                kinds(listener),
                certificate.found,
                validation.map(wanted -> new ClientPlan(clients.found, wanted.mode())),
                Optional.empty());
    }

    private Optional<String> unsupported(String protocol) {
        return switch (protocol) {
            case "HTTP" -> Optional.empty();
            case "HTTPS" ->
                tls == Settings.Tls.TERMINATED
                        ? Optional.empty()
                        : Optional.of(
                                "protocol HTTPS is not served without a cluster: put a TLS proxy in front of an HTTP"
                                        + " listener");
            default ->
                Optional.of("protocol " + protocol + " is not supported; "
                        + (tls == Settings.Tls.TERMINATED ? "HTTP and HTTPS are" : "HTTP is"));
        };
    }

    private static BoundListener refused(ResourceId owner, Listener listener, Refusal why) {
        List<GroupKind> kinds = why.reason() == Reason.UNSUPPORTED_PROTOCOL ? List.of() : kinds(listener);
        return new BoundListener(
                owner,
                listener,
                Optional.empty(),
                Optional.of(why),
                Optional.empty(),
                kinds,
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    private static List<GroupKind> kinds(Listener listener) {
        List<GroupKind> allowed = listener.allowedRoutes().kinds();
        return allowed.isEmpty()
                ? KINDS
                : KINDS.stream().filter(allowed::contains).toList();
    }

    private static Optional<Refusal> foreignKinds(Listener listener) {
        List<GroupKind> foreign = listener.allowedRoutes().kinds().stream()
                .filter(kind -> !KINDS.contains(kind))
                .toList();
        return foreign.isEmpty()
                ? Optional.empty()
                : Optional.of(new Refusal(
                        Reason.INVALID_ROUTE_KINDS,
                        "allowedRoutes.kinds names " + MessageText.list(", ", foreign, GroupKind::toString) + "; an "
                                + listener.protocol() + " listener takes HTTPRoute"));
    }

    private void certificatesOf(ResourceId owner, Listener listener, Gathered gathered) {
        List<ObjectRef> refs = listener.tls().map(ListenerTls::certificates).orElse(List.of());
        if (refs.isEmpty()) {
            gathered.refusal = Optional.of(new Refusal(
                    Reason.INVALID_CERTIFICATE_REF, "an HTTPS listener needs a certificate: set tls.certificateRefs"));
        }
        for (ObjectRef ref : refs) {
            gathered.take(certificates.keyPair(owner, ref, Reason.INVALID_CERTIFICATE_REF));
        }
    }

    private void authoritiesOf(ClientValidation wanted, Gathered gathered) {
        for (ObjectRef ref : wanted.authorities()) {
            gathered.take(certificates.authority(gateway.id(), ref, Reason.INVALID_CA_CERTIFICATE_KIND));
        }
    }

    /** What several references led to: all that is good, and the first that is not. */
    private static final class Gathered {
        private final List<ResourceId> found = new ArrayList<>();
        private Optional<Refusal> refusal = Optional.empty();

        void take(Resolved<ResourceId> resolved) {
            switch (resolved) {
                case Resolved.Found<ResourceId> good -> found.add(good.value());
                case Resolved.Refused<ResourceId> bad -> refusal = refusal.or(() -> Optional.of(bad.why()));
            }
        }
    }
}
