package dev.shellac.model.gateway;

import dev.shellac.model.Copies;
import dev.shellac.model.ObjectRef;
import java.util.List;
import java.util.Map;

/** TLS of a listener. */
public record ListenerTls(Mode mode, List<ObjectRef> certificates, Map<String, String> options) {
    /** Where TLS ends. */
    public enum Mode {
        TERMINATE,
        PASSTHROUGH
    }

    public ListenerTls {
        certificates = List.copyOf(certificates);
        options = Copies.of(options);
    }
}
