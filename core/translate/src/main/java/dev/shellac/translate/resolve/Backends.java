package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.Service.ServicePort;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.Settings.Upstream;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Finds what references to backends stand for. */
public record Backends(Snapshot snapshot, Grants grants, BackendTls tls) {
    // h2c and gRPC need more than varnishd. HTTPS is HTTP where a policy says whom to trust.
    private static final String TLS = "https";
    private static final Map<String, Backend.Protocol> SPOKEN = Map.of(
            "http", Backend.Protocol.HTTP, TLS, Backend.Protocol.HTTP, "kubernetes.io/ws", Backend.Protocol.WEBSOCKET);

    public Backend resolve(ResourceId route, BackendRef ref) {
        ResourceId target = ref.target().resolve(route.namespace());
        if (!target.type().equals(GroupKind.SERVICE)) {
            return refused(Reason.INVALID_KIND, target.type() + " " + target.name() + " is no Service");
        }
        Optional<Refusal> forbidden = grants.refusal(route, target);
        if (forbidden.isPresent()) {
            return new Backend.Refused(forbidden.get());
        }
        Optional<Service> service = snapshot.find(Service.class, target.name());
        if (service.isEmpty()) {
            return refused(Reason.BACKEND_NOT_FOUND, target + " does not exist");
        }
        if (service.get().serviceType() == Service.Type.EXTERNAL_NAME) {
            return refused(
                    Reason.INVALID_KIND,
                    target + " is of type ExternalName, which is not routed to: it could name any host");
        }
        return ref.port()
                .map(port -> port(target, service.get(), port))
                .orElseGet(() -> refused(Reason.BACKEND_NOT_FOUND, "a reference to " + target + " needs a port"));
    }

    private Backend port(ResourceId target, Service service, Port number) {
        Optional<ServicePort> port = service.port(number);
        if (port.isEmpty()) {
            String ports = MessageText.list(
                    ", ", service.ports(), candidate -> candidate.port().toString());
            return refused(
                    Reason.BACKEND_NOT_FOUND,
                    target + " has no port " + number + (ports.isEmpty() ? "" : "; it has " + ports));
        }
        if (!port.get().protocol().equals("TCP")) {
            return refused(
                    Reason.UNSUPPORTED_PROTOCOL,
                    "port " + number + " of " + target + " is " + port.get().protocol() + ", not TCP");
        }
        String appProtocol = port.get().appProtocol().orElse("http");
        Backend.Protocol protocol = SPOKEN.get(appProtocol.toLowerCase(Locale.ROOT));
        if (protocol == null) {
            return refused(
                    Reason.UNSUPPORTED_PROTOCOL,
                    "port " + number + " of " + target + " has the appProtocol " + appProtocol
                            + ", which is not spoken to backends yet");
        }
        Backend backend = tls.protect(
                target.name(),
                new Backend.Serving(
                        target.name(), number, port.get().target(), port.get().name(), protocol, Optional.empty()));
        boolean plain =
                backend instanceof Backend.Serving serving && serving.tls().isEmpty();
        return plain && appProtocol.equalsIgnoreCase(TLS)
                ? refused(
                        Reason.UNSUPPORTED_PROTOCOL,
                        "port " + number + " of " + target + " has the appProtocol " + appProtocol
                                + (tls.upstream() == Upstream.TLS
                                        ? ": a BackendTLSPolicy must say whom to trust there"
                                        : ", and " + BackendTls.UNSUPPORTED))
                : backend;
    }

    private static Backend refused(Reason reason, String message) {
        return new Backend.Refused(new Refusal(reason, message));
    }
}
