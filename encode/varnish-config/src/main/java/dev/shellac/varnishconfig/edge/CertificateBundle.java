package dev.shellac.varnishconfig.edge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Secret;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.SecretObject;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.Certificates;
import dev.shellac.translate.resolve.KeyPair;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The Secret {@code {gateway}-tls}: all that HAProxy needs of certificates, in one object, so that a pod never has the
 * certificates of one moment with the names of another.
 *
 * <table>
 *   <tr><td>{@code {namespace}.{secret}.pem}</td><td>a chain and its key</td></tr>
 *   <tr><td>{@code port-443.list}</td><td>which of them is for which server name on that port</td></tr>
 *   <tr><td>{@code port-443.ca}</td><td>whose client certificates are taken there, where they are asked for</td></tr>
 * </table>
 *
 * @param files by key; empty where no listener has TLS
 * @param expiries when each Secret's certificate ends, for whoever has a clock
 */
public record CertificateBundle(SortedMap<String, Secret> files, SortedMap<ResourceId, Instant> expiries) {
    public CertificateBundle {
        files = new TreeMap<>(files);
        expiries = new TreeMap<>(expiries);
    }

    /** What listeners of the plan show, as far as the Secrets are there: the plan names those that were good. */
    public static CertificateBundle of(GatewayPlan plan, Snapshot snapshot) {
        var files = new TreeMap<String, Secret>();
        var expiries = new TreeMap<ResourceId, Instant>();
        for (Map.Entry<Port, List<ListenerPlan>> port :
                HaproxyConfig.ports(plan).entrySet()) {
            var pairs = new TreeMap<ResourceId, KeyPair.Good>();
            for (ListenerPlan listener : port.getValue()) {
                for (ResourceId secret : listener.certificates()) {
                    find(snapshot, secret).ifPresent(pair -> {
                        pairs.put(secret, pair);
                        files.put(EdgeNames.pem(secret), pair.pem());
                        expiries.put(secret, pair.notAfter());
                    });
                }
            }
            files.put(
                    EdgeNames.list(port.getKey()),
                    Secret.of(ServerNames.list(port.getValue(), pairs).getBytes(US_ASCII)));
            port.getValue().stream()
                    .flatMap(listener -> listener.clients().stream())
                    .findFirst()
                    .ifPresent(clients -> files.put(
                            EdgeNames.authorities(port.getKey()), authorities(clients.authorities(), snapshot)));
        }
        return new CertificateBundle(files, expiries);
    }

    /** The file that a Secret's chain and key are in. */
    public static String file(ResourceId secret) {
        return EdgeNames.pem(secret);
    }

    private static Optional<KeyPair.Good> find(Snapshot snapshot, ResourceId secret) {
        return snapshot.find(SecretObject.class, secret.name())
                .map(KeyPair::of)
                .flatMap(pair -> pair instanceof KeyPair.Good good ? Optional.of(good) : Optional.empty());
    }

    private static Secret authorities(List<ResourceId> maps, Snapshot snapshot) {
        return Secret.of(maps.stream()
                .flatMap(map -> snapshot.find(ConfigMap.class, map.name()).stream())
                .map(map -> map.texts().getOrDefault(Certificates.AUTHORITIES, ""))
                .collect(Collectors.joining("\n"))
                .getBytes(UTF_8));
    }
}
