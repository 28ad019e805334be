package dev.shellac.operator.children;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.gateway.Gateway;
import dev.shellac.varnishconfig.edge.CertificateBundle;
import dev.shellac.varnishconfig.edge.CertificateParts;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The certificates of a Gateway's HTTPS listeners as Secrets, the only ones that its pods may read: up to sixteen parts, and an index that lists them with their
 * hashes. A pod takes a set only when every hash fits, so that it never has the certificates of one moment with the names of another.
 *
 * <p>The index also has the hashes of haproxy.cfg and main.vcl. Those texts are in a ConfigMap, and who may write ConfigMaps in the Gateway's namespace must not
 * choose what runs beside the keys of other namespaces.
 */
public final class CertificateSecrets {
    /** Key of the index: the parts. */
    static final String PARTS = "parts";

    /** Key of the index: the hash of haproxy.cfg. */
    static final String CONFIG = "haproxy.cfg.sha256";

    /** Key of the index: the hashes of main.vcl and, while pods refuse that one, of main.vcl.good; a line each, empty where there is none that pods could take. */
    static final String VCL = "main.vcl.sha256";

    private CertificateSecrets() {}

    /**
     * The parts, then the index; none where no listener has TLS.
     *
     * @param haproxy the text of haproxy.cfg
     * @param vcl the hashes of main.vcl and main.vcl.good, or empty
     */
    public static List<Secret> of(Gateway gateway, CertificateBundle bundle, Optional<String> haproxy, String vcl) {
        if (bundle.files().isEmpty() || haproxy.isEmpty()) {
            return List.of();
        }
        Names names = new Names(gateway.meta().name());
        var secrets = new ArrayList<Secret>();
        var hashes = new TreeMap<Integer, String>();
        CertificateParts.of(bundle.files()).files().forEach((number, files) -> {
            secrets.add(secret(gateway, names.certificatePart(number), encoded(files)));
            hashes.put(number, CertificateParts.hash(files));
        });
        String listed = hashes.entrySet().stream()
                .map(part -> "{\"name\": \"" + names.certificatePart(part.getKey()) + "\", \"sha256\": \""
                        + part.getValue() + "\"}")
                .collect(Collectors.joining(",\n", "[", "]\n"));
        String config = "sha256:" + Names.sha256(haproxy.get().getBytes(UTF_8));
        secrets.add(secret(
                gateway,
                names.certificateIndex(),
                Map.of(PARTS, base64(listed), CONFIG, base64(config), VCL, base64(vcl))));
        return secrets;
    }

    private static Secret secret(Gateway gateway, String name, Map<String, String> data) {
        return new SecretBuilder()
                .withMetadata(new ChildMetadata(gateway).meta(name))
                .withType("Opaque")
                .withData(new TreeMap<>(data))
                .build();
    }

    private static Map<String, String> encoded(SortedMap<String, dev.shellac.model.Secret> files) {
        var data = new TreeMap<String, String>();
        files.forEach((key, secret) -> data.put(key, secret.reveal(Base64.getEncoder()::encodeToString)));
        return data;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
