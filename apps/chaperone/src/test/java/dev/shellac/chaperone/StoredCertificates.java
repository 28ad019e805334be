package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.model.Secret;
import dev.shellac.varnishconfig.edge.CertificateParts;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The Secrets of certificates, as the operator writes them: the parts, then the index. */
record StoredCertificates(FakeApi api) {
    private static final String SECRETS = "/api/v1/namespaces/edge/secrets";
    private static final String INDEX = "gw-certificates-index";

    void put(SortedMap<String, Secret> files, String haproxy, String vcl) {
        var listed = new ArrayList<String>();
        CertificateParts.of(files).files().forEach((number, part) -> {
            String name = "gw-certificates-" + number;
            put(name, part);
            listed.add("{\"name\":\"" + name + "\",\"sha256\":\"" + CertificateParts.hash(part) + "\"}");
        });
        put(
                INDEX,
                Map.of(
                        "parts", secret("[" + String.join(",", listed) + "]"),
                        "haproxy.cfg.sha256", secret(hash(haproxy)),
                        "main.vcl.sha256", secret(hash(vcl))));
    }

    private static String hash(String text) {
        return "sha256:" + RoutingFile.sha256(text.getBytes(UTF_8));
    }

    void delete() {
        api.delete(SECRETS, INDEX);
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(UTF_8));
    }

    private void put(String name, Map<String, Secret> data) {
        String members = new TreeMap<>(data)
                .entrySet().stream()
                        .map(file -> "\"" + file.getKey() + "\":\""
                                + file.getValue()
                                        .<String>reveal(
                                                bytes -> Base64.getEncoder().encodeToString(bytes)) + "\"")
                        .collect(Collectors.joining(","));
        api.put(SECRETS, name, "", ",\"data\":{" + members + "}");
    }
}
