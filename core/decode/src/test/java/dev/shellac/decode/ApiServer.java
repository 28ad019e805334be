package dev.shellac.decode;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real API server behind a plain address, such as {@code kubectl proxy} gives. */
record ApiServer(String address) {
    /** What it said, in its words where it refused. */
    record Answer(int status, String body) {
        boolean isAccepted() {
            return status < 300;
        }

        String message() {
            Matcher message =
                    Pattern.compile("\"message\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(body);
            return status + (message.find() ? " " + message.group(1) : "");
        }
    }

    private static final Map<String, String> CLUSTER = Map.of(
            "GatewayClass",
            "gatewayclasses",
            "Namespace",
            "namespaces",
            "GatewayClassParameters",
            "gatewayclassparameters");
    private static final Map<String, String> NAMESPACED = Map.ofEntries(
            Map.entry("Gateway", "gateways"),
            Map.entry("ListenerSet", "listenersets"),
            Map.entry("HTTPRoute", "httproutes"),
            Map.entry("ReferenceGrant", "referencegrants"),
            Map.entry("BackendTLSPolicy", "backendtlspolicies"),
            Map.entry("VarnishCachePolicy", "varnishcachepolicies"),
            Map.entry("VarnishCacheInvalidation", "varnishcacheinvalidations"),
            Map.entry("Service", "services"),
            Map.entry("EndpointSlice", "endpointslices"),
            Map.entry("Secret", "secrets"),
            Map.entry("ConfigMap", "configmaps"));

    static boolean knows(String kind) {
        return CLUSTER.containsKey(kind) || NAMESPACED.containsKey(kind);
    }

    /** Asks what would become of a new object, as YAML. Nothing is kept. */
    Answer tryOut(Manifest manifest) throws IOException {
        return post(path(manifest) + "?dryRun=All&fieldValidation=Strict", manifest.text());
    }

    /** Makes a namespace, or finds it there. */
    void namespace(String name) throws IOException {
        Answer answer = post("/api/v1/namespaces", "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n");
        if (!answer.isAccepted() && answer.status() != HttpURLConnection.HTTP_CONFLICT) {
            throw new IOException("namespace " + name + ": " + answer.message());
        }
    }

    private static String path(Manifest manifest) {
        String version = manifest.apiVersion();
        String root = (version.contains("/") ? "/apis/" : "/api/") + version;
        String plural = CLUSTER.get(manifest.kind());
        return plural == null
                ? root + "/namespaces/" + manifest.namespace() + "/" + NAMESPACED.get(manifest.kind())
                : root + "/" + plural;
    }

    private Answer post(String path, String yaml) throws IOException {
        var connection = (HttpURLConnection) URI.create(address + path).toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Content-Type", "application/yaml");
        connection.setRequestProperty("Accept", "application/json");
        connection.setDoOutput(true);
        try (OutputStream body = connection.getOutputStream()) {
            body.write(yaml.getBytes(UTF_8));
        }
        int status = connection.getResponseCode();
        try (InputStream body = status < 300 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Answer(status, new String(body.readAllBytes(), UTF_8));
        }
    }
}
