package dev.shellac.model.gateway;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Resource;
import dev.shellac.model.status.GatewayStatus;
import java.util.List;
import java.util.Optional;

/**
 * A Gateway.
 *
 * @param allowedListeners whose ListenerSets may add listeners
 * @param clientCertificate what it shows to backends that ask for a certificate
 */
public record Gateway(
        Metadata meta,
        String className,
        List<Listener> listeners,
        List<AddressRequest> addresses,
        NamespacePolicy allowedListeners,
        Infrastructure infrastructure,
        Optional<FrontendTls> frontendTls,
        Optional<ObjectRef> clientCertificate,
        DefaultScope defaultScope,
        GatewayStatus status)
        implements Resource {
    public Gateway {
        listeners = List.copyOf(listeners);
        addresses = List.copyOf(addresses);
    }

    /** For a form that could not be read: all but what was, as it last was. */
    public Gateway lastValid(Gateway last) {
        return new Gateway(
                meta,
                className,
                last.listeners,
                last.addresses,
                last.allowedListeners,
                last.infrastructure,
                last.frontendTls,
                last.clientCertificate,
                last.defaultScope,
                status);
    }

    /** The same as of a newer form that could not be read at all. */
    public Gateway withDecodeError(String why) {
        return new Gateway(
                meta.withDecodeError(why),
                className,
                listeners,
                addresses,
                allowedListeners,
                infrastructure,
                frontendTls,
                clientCertificate,
                defaultScope,
                status);
    }

    @Override
    public GroupKind type() {
        return GroupKind.GATEWAY;
    }
}
