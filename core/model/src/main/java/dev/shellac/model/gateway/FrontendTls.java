package dev.shellac.model.gateway;

import dev.shellac.model.Copies;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which client certificates HTTPS listeners ask for: by default, and by port, which replaces the default wholly. */
public record FrontendTls(Optional<ClientValidation> fallback, Map<Port, Optional<ClientValidation>> byPort) {
    /** What becomes of a client without a valid certificate. */
    public enum Mode {
        ALLOW_VALID_ONLY,
        ALLOW_INSECURE_FALLBACK
    }

    /** The authorities, and the mode. */
    public record ClientValidation(List<ObjectRef> authorities, Mode mode) {
        public ClientValidation {
            authorities = List.copyOf(authorities);
        }
    }

    public FrontendTls {
        byPort = Copies.of(byPort);
    }

    public Optional<ClientValidation> at(Port port) {
        Optional<ClientValidation> own = byPort.get(port);
        return own == null ? fallback : own;
    }
}
