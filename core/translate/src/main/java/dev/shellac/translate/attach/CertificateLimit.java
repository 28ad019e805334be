package dev.shellac.translate.attach;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.translate.resolve.CertificateRoom;
import dev.shellac.translate.resolve.Certificates;
import dev.shellac.translate.resolve.KeyPair;
import dev.shellac.translate.resolve.Parameters;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Room for the certificates of one Gateway. What does not fit is refused here, before anything is built, so that the certificates that fit are rotated whatever
 * others bring. The Gateway's own listeners come first, then ListenerSets, oldest first. ListenerSets of one other namespace may use a quarter.
 */
final class CertificateLimit {
    private static final int SHARE_OF_A_NAMESPACE = 4;
    // What stands between the words of a line in the list of a port, and after the name of a file.
    private static final int BETWEEN = 8;
    private static final long KIBI = 1024;

    private final Snapshot snapshot;
    private final String home;
    private final long room;
    private final Set<ResourceId> counted = new HashSet<>();
    private final Set<Port> ports = new HashSet<>();
    private final Map<String, Long> guests = new HashMap<>();
    private long used;

    CertificateLimit(Snapshot snapshot, Gateway gateway) {
        this.snapshot = snapshot;
        this.home = gateway.meta().name().namespace();
        this.room = CertificateRoom.of(Parameters.of(snapshot)
                .of(gateway)
                .map(GatewayClassParameters::pod)
                .flatMap(GatewayClassParameters.PodSettings::memoryLimit));
    }

    /** The listeners of the next object, without those certificates that do not fit. */
    List<BoundListener> admit(List<BoundListener> listeners) {
        return listeners.stream()
                .map(listener -> listener.isAccepted() && listener.isHttps() ? admit(listener) : listener)
                .toList();
    }

    private BoundListener admit(BoundListener listener) {
        var kept = new ArrayList<ResourceId>();
        Optional<Refusal> refusal = Optional.empty();
        for (ResourceId certificate : listener.certificates()) {
            long bytes = cost(listener, certificate);
            Optional<Refusal> why = refusal(listener, certificate, bytes);
            if (why.isPresent()) {
                refusal = refusal.or(() -> why);
            } else {
                kept.add(certificate);
                count(listener, certificate, bytes);
            }
        }
        return refusal.map(why -> listener.without(why, kept)).orElse(listener);
    }

    private void count(BoundListener listener, ResourceId certificate, long bytes) {
        used += bytes;
        guests.merge(listener.owner().namespace(), bytes, Long::sum);
        counted.add(certificate);
        ports.add(listener.listener().port());
    }

    // A file is there once, however many listeners name it; so are the files of a port.
    private long cost(BoundListener listener, ResourceId certificate) {
        Optional<KeyPair.Good> pair = pair(certificate);
        long file = counted.contains(certificate)
                ? 0
                : pair.map(found -> CertificateRoom.pages(found.pem().length())).orElse(0L);
        long names = pair.stream()
                .flatMap(found -> found.names().stream())
                .map(Hostname::value)
                .mapToLong(name -> name.length() + 1L)
                .sum();
        long port = ports.contains(listener.listener().port())
                ? 0
                : CertificateRoom.pages(1) + CertificateRoom.pages(authorities(listener));
        int line = certificate.namespace().length()
                + certificate.name().name().length()
                + listener.listener().hostname().value().length()
                + BETWEEN;
        return file + line + names + port;
    }

    private Optional<KeyPair.Good> pair(ResourceId certificate) {
        return snapshot.find(SecretObject.class, certificate.name())
                .map(KeyPair::of)
                .flatMap(pair -> pair instanceof KeyPair.Good good ? Optional.of(good) : Optional.empty());
    }

    private long authorities(BoundListener listener) {
        return listener.clients().stream()
                .flatMap(clients -> clients.authorities().stream())
                .flatMap(map -> snapshot.find(ConfigMap.class, map.name()).stream())
                .mapToLong(map ->
                        map.texts().getOrDefault(Certificates.AUTHORITIES, "").length() + 1L)
                .sum();
    }

    private Optional<Refusal> refusal(BoundListener listener, ResourceId certificate, long bytes) {
        String namespace = listener.owner().namespace();
        long share = room / SHARE_OF_A_NAMESPACE;
        long own = guests.getOrDefault(namespace, 0L);
        if (!namespace.equals(home) && own + bytes > share) {
            return full(
                    certificate,
                    bytes,
                    "listeners of namespace " + namespace + " already use " + kibi(own) + " of the "
                            + kibi(share)
                            + " KiB that ListenerSets of another namespace may use of this Gateway's room for"
                            + " certificates");
        }
        return used + bytes > room
                ? full(
                        certificate,
                        bytes,
                        "listeners that come before this one already use " + kibi(used) + " of the " + kibi(room)
                                + " KiB that this Gateway has for certificates")
                : Optional.empty();
    }

    private static Optional<Refusal> full(ResourceId certificate, long bytes, String why) {
        return Optional.of(new Refusal(
                Reason.INVALID_CERTIFICATE_REF,
                certificate + " needs " + kibi(bytes) + " KiB, and " + why
                        + ": remove listeners, use smaller certificates, or raise the memory limit of the pods"));
    }

    private static long kibi(long bytes) {
        return (bytes + KIBI - 1) / KIBI;
    }
}
