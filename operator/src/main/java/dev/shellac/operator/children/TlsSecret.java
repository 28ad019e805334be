package dev.shellac.operator.children;

import dev.shellac.model.gateway.Gateway;
import dev.shellac.varnishconfig.edge.CertificateBundle;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.util.Base64;
import java.util.Optional;
import java.util.TreeMap;

/** The certificates of a Gateway's HTTPS listeners in one Secret, the only one that its pods may read. */
public final class TlsSecret {
    private TlsSecret() {}

    /** None where no listener has TLS. */
    public static Optional<Secret> of(Gateway gateway, CertificateBundle bundle) {
        if (bundle.files().isEmpty()) {
            return Optional.empty();
        }
        var data = new TreeMap<String, String>();
        bundle.files().forEach((key, secret) -> data.put(key, secret.reveal(Base64.getEncoder()::encodeToString)));
        return Optional.of(new SecretBuilder()
                .withMetadata(new Imprint(gateway).meta(new Names(gateway.meta().name()).tlsSecret()))
                .withType("Opaque")
                .withData(data)
                .build());
    }
}
