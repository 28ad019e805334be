package dev.shellac.operator;

import static dev.shellac.testkit.patience.Eventually.eventually;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.operator.children.Platform;
import dev.shellac.testkit.kube.FakeApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;

/** The whole operator and an API server in memory, with a class, a namespace and a Service. */
final class Stage implements AutoCloseable {
    static final String GROUP = "/apis/gateway.networking.k8s.io/v1";
    static final String GATEWAY = GROUP + "/namespaces/shop/gateways/edge";
    static final String ROUTES = GROUP + "/namespaces/shop/httproutes/";
    static final String CLASS = GROUP + "/gatewayclasses/varnish";
    static final String MAP = "/api/v1/namespaces/shop/configmaps/edge-vcl";
    static final String PARAMETERS = "/apis/gateway.varnish-software.com/v1alpha1/gatewayclassparameters/pods";
    static final Platform PLATFORM =
            new Platform("image:1", List.of(), "info", new Platform.Access(Use.ON, "shellac-system", List.of()));
    private static final String OURS = "gateway.varnish-software.com/v1alpha1";
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";

    private final FakeApiServer server = FakeApiServer.start();
    private final AtomicInteger lost = new AtomicInteger();
    private Optional<Operator> operator = Optional.empty();
    private long heap = 192 << 20;

    Stage() throws Exception {
        define("GatewayClass", "gatewayclasses");
        define("Gateway", "gateways");
        define("HTTPRoute", "httproutes");
        define("ReferenceGrant", "referencegrants");
        server.put("/api/v1/namespaces/shop", "{\"metadata\":{\"name\":\"shop\"}}");
        gatewayClass();
        service("cart", "8080");
    }

    void gatewayClass() {
        server.put(
                CLASS,
                "{\"metadata\":{\"name\":\"varnish\"},\"spec\":{\"controllerName\":\"varnish-software.com/gateway\"}}");
    }

    FakeApiServer server() {
        return server;
    }

    @Override
    public void close() {
        stop();
        server.close();
        Assertions.assertThat(lost).hasValue(0);
    }

    private void define(String kind, String plural) {
        define("gateway.networking.k8s.io/v1", kind, plural);
    }

    /** A definition, as one of Gateway API's releases. */
    void define(String apiVersion, String kind, String plural) {
        server.define(apiVersion, kind, plural);
        String name = plural + "." + apiVersion.substring(0, apiVersion.indexOf('/'));
        server.put(
                CRDS + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"annotations\":{\"gateway.networking.k8s.io/bundle-version\":\"v1.7.0\",\"gateway.networking.k8s.io/channel\":\"standard\"}}}");
    }

    void service(String name, String port) {
        server.put(
                "/api/v1/namespaces/shop/services/" + name,
                "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"shop\"},\"spec\":{\"ports\":[{\"port\":"
                        + port + "}]}}");
    }

    /** A Gateway with one listener, of port 80. */
    void gateway() {
        listeners("{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}");
    }

    /** The same, with other listeners. */
    void listeners(String json) {
        server.put(
                GATEWAY,
                "{\"metadata\":{\"name\":\"edge\",\"namespace\":\"shop\"},\"spec\":{\"gatewayClassName\":\"varnish\",\"listeners\":["
                        + json + "]}}");
    }

    /** Parameters for the class, which then has them. */
    void parameters(String spec) {
        define(OURS, "GatewayClassParameters", "gatewayclassparameters");
        server.put(PARAMETERS, "{\"metadata\":{\"name\":\"pods\"},\"spec\":" + spec + "}");
        server.put(
                CLASS,
                "{\"spec\":{\"parametersRef\":{\"group\":\"gateway.varnish-software.com\",\"kind\":\"GatewayClassParameters\",\"name\":\"pods\"}}}");
    }

    /** The messages of Events about the Gateway with this type and reason. */
    List<String> told(String type, String reason) {
        return events(GATEWAY.substring(GATEWAY.lastIndexOf('/') + 1)).stream()
                .filter(event -> event.path("type").asText().equals(type)
                        && event.path("reason").asText().equals(reason))
                .map(event -> event.path("message").asText())
                .toList();
    }

    /** The Events about an object. */
    List<JsonNode> events(String name) {
        return server.list("/api/v1/namespaces/shop/events").stream()
                .filter(event -> event.at("/involvedObject/name").asText().equals(name))
                .toList();
    }

    void route(String name, String service) {
        server.put(
                ROUTES + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"namespace\":\"shop\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\"}],\"hostnames\":[\""
                        + name
                        + ".example.com\"],\"rules\":[{\"backendRefs\":[{\"name\":\"" + service
                        + "\",\"port\":8080}]}]}}");
    }

    /** A pod of the Gateway, as its Deployment makes one. */
    void pod(String name, String address) throws Exception {
        String deployment = "/apis/apps/v1/namespaces/shop/deployments/edge";
        eventually("there is a Deployment", () -> server.find(deployment).isPresent());
        String uid = server.find(deployment).orElseThrow().at("/metadata/uid").asText();
        owned("/apis/apps/v1/namespaces/shop/replicasets/edge", "\"uid\":\"set\"", uid, "{}");
        owned(
                "/api/v1/namespaces/shop/pods/" + name,
                "\"uid\":\"" + name + "\"",
                "set",
                "{\"podIP\":\"" + address + "\"}");
    }

    private void owned(String path, String uid, String owner, String status) {
        server.put(
                path,
                "{\"metadata\":{\"name\":\"" + path.substring(path.lastIndexOf('/') + 1) + "\",\"namespace\":\"shop\","
                        + uid
                        + ",\"labels\":{\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\","
                        + "\"gateway.networking.k8s.io/gateway-name\":\"edge\"},\"ownerReferences\":[{\"controller\":true,\"uid\":\""
                        + owner + "\"}]},\"status\":" + status + "}");
    }

    /** What the operator believes that it has, from its next start. */
    void heap(long bytes) {
        heap = bytes;
    }

    void start() throws Exception {
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server.url())
                .withRequestRetryBackoffLimit(0)
                .build();
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        operator = Optional.of(Operator.start(
                new Options(
                        loopback,
                        loopback,
                        Options.Election.ALONE,
                        PLATFORM,
                        Optional.of(System.Logger.Level.INFO),
                        new Options.Identity("default", "test"),
                        heap),
                new KubernetesClientBuilder().withConfig(config).build(),
                lost::incrementAndGet));
    }

    /** The lines of /metrics. */
    List<String> metrics() throws Exception {
        return get(operator.orElseThrow().metricsPort(), "/metrics")
                .body()
                .lines()
                .toList();
    }

    /** What /healthz answers. */
    HttpResponse<String> health() throws Exception {
        return get(operator.orElseThrow().healthPort(), "/healthz");
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    void stop() {
        operator.ifPresent(Operator::close);
        operator = Optional.empty();
    }

    /** Until nothing is written any more. */
    void settle() throws Exception {
        eventually(
                "everything is written",
                () -> condition(GATEWAY, "/status/conditions", "Programmed").isPresent()
                        && condition(ROUTES + "cart", "/status/parents/0/conditions", "Accepted")
                                .isPresent()
                        && !server.find(CLASS)
                                .orElseThrow()
                                .at("/metadata/finalizers")
                                .isEmpty()
                        && condition(CLASS, "/status/conditions", "SupportedVersion")
                                .isPresent()
                        && server.find("/apis/apps/v1/namespaces/shop/deployments/edge")
                                .isPresent()
                        && changes().isEmpty());
        // Changes may be without being written for a second, and become part of the whole two seconds later.
        int writes;
        do {
            writes = server.writes().size();
            Thread.sleep(1300);
        } while (writes != server.writes().size() || !changes().isEmpty());
    }

    /** Until nothing is written for a while. */
    void settleChildren() throws Exception {
        int writes;
        do {
            writes = server.writes().size();
            Thread.sleep(700);
        } while (writes != server.writes().size());
    }

    /** The whole and the changes. */
    String routing() {
        return whole() + changes();
    }

    String whole() {
        return data(MAP, "routing.json");
    }

    String changes() {
        return data(MAP + "-changes", "routing.changes.json");
    }

    /** What the changes are of. */
    String base() {
        return data(MAP + "-changes", "base");
    }

    /** Who signed the changes. */
    String writer() {
        return data(MAP + "-changes", "writer");
    }

    private String data(String configMap, String key) {
        return server.find(configMap)
                .map(map -> map.path("data").path(key).asText())
                .orElse("");
    }

    Optional<String> condition(String path, String pointer, String type) {
        return server.find(path).flatMap(object -> {
            for (JsonNode condition : object.at(pointer)) {
                if (condition.path("type").asText().equals(type)) {
                    return Optional.of(condition.path("status").asText() + " "
                            + condition.path("reason").asText());
                }
            }
            return Optional.empty();
        });
    }
}
