package dev.shellac.translate.resolve;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.policy.BackendTlsPolicy.SubjectAltName;
import java.util.List;
import java.util.Optional;

/** What a reference to a backend stands for. */
public sealed interface Backend {
    /** How it is spoken to. */
    enum Protocol {
        HTTP,
        WEBSOCKET
    }

    /** A port of a Service. */
    record Serving(
            Name service, Port port, TargetPort target, Optional<String> portName, Protocol protocol, Optional<Tls> tls)
            implements Backend {}

    /** Its share is answered with 500, and the route says why. */
    record Refused(Refusal why) implements Backend {}

    /** Its share is answered with 500, because a policy that protects it cannot be kept; the policy says why. */
    record Withheld(ResourceId policy, String message) implements Backend {}

    /**
     * TLS on the way there.
     *
     * @param authorities ConfigMaps; none means those of the system
     * @param subjectAltNames if any, one of them must be in the certificate, and the hostname need not be
     */
    record Tls(
            ResourceId policy, Hostname hostname, List<ResourceId> authorities, List<SubjectAltName> subjectAltNames) {
        public Tls {
            authorities = List.copyOf(authorities);
            subjectAltNames = List.copyOf(subjectAltNames);
        }
    }
}
