package dev.shellac.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.operator.children.Platform;
import dev.shellac.testkit.kube.FakeApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole operator against an API server in memory. */
final class OperatorTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String GROUP = "/apis/gateway.networking.k8s.io/v1";
    private static final String GATEWAY = GROUP + "/namespaces/shop/gateways/edge";
    private static final String ROUTES = GROUP + "/namespaces/shop/httproutes/";
    private static final String CLASS = GROUP + "/gatewayclasses/varnish";
    private static final String MAP = "/api/v1/namespaces/shop/configmaps/edge-vcl";

    private final FakeApiServer server = FakeApiServer.start();
    private final AtomicInteger lost = new AtomicInteger();
    private Optional<Operator> operator = Optional.empty();

    OperatorTest() throws Exception {}

    @BeforeEach
    void definitions() {
        define("GatewayClass", "gatewayclasses");
        define("Gateway", "gateways");
        define("HTTPRoute", "httproutes");
        define("ReferenceGrant", "referencegrants");
        server.put("/api/v1/namespaces/shop", "{\"metadata\":{\"name\":\"shop\"}}");
        server.put(
                CLASS,
                "{\"metadata\":{\"name\":\"varnish\"},\"spec\":{\"controllerName\":\"varnish-software.com/gateway\"}}");
        service("cart", "8080");
    }

    @AfterEach
    void end() {
        operator.ifPresent(Operator::close);
        server.close();
        assertThat(lost).hasValue(0);
    }

    private void define(String kind, String plural) {
        server.define("gateway.networking.k8s.io/v1", kind, plural);
        String name = plural + ".gateway.networking.k8s.io";
        server.put(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"annotations\":{\"gateway.networking.k8s.io/bundle-version\":\"v1.7.0\",\"gateway.networking.k8s.io/channel\":\"standard\"}}}");
    }

    private void service(String name, String port) {
        server.put(
                "/api/v1/namespaces/shop/services/" + name,
                "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"shop\"},\"spec\":{\"ports\":[{\"port\":"
                        + port + "}]}}");
    }

    private void gateway() {
        server.put(
                GATEWAY,
                "{\"metadata\":{\"name\":\"edge\",\"namespace\":\"shop\"},\"spec\":{\"gatewayClassName\":\"varnish\",\"listeners\":[{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}]}}");
    }

    private void route(String name, String service) {
        server.put(
                ROUTES + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"namespace\":\"shop\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\"}],\"hostnames\":[\""
                        + name
                        + ".example.com\"],\"rules\":[{\"backendRefs\":[{\"name\":\"" + service
                        + "\",\"port\":8080}]}]}}");
    }

    private void start() throws Exception {
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
                        new Platform("image:1", List.of(), "info"),
                        Optional.of(System.Logger.Level.INFO),
                        new Options.Identity("default", "test")),
                new KubernetesClientBuilder().withConfig(config).build(),
                lost::incrementAndGet));
    }

    private void stop() {
        operator.ifPresent(Operator::close);
        operator = Optional.empty();
    }

    private String routing() {
        return server.find(MAP)
                .map(map -> map.path("data").path("routing.json").asText())
                .orElse("");
    }

    private Optional<String> condition(String path, String pointer, String type) {
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

    @Test
    void aGatewayBecomesConfigurationChildrenAndStatuses() throws Exception {
        gateway();
        route("cart", "cart");
        start();
        Eventually.holds("the route is in the ConfigMap", () -> routing().contains("shop/cart"));
        Eventually.holds(
                "the route is accepted",
                () -> condition(ROUTES + "cart", "/status/parents/0/conditions", "Accepted")
                        .equals(Optional.of("True Accepted")));
        Eventually.holds(
                "the class is accepted",
                () -> condition(CLASS, "/status/conditions", "Accepted").equals(Optional.of("True Accepted")));
        Eventually.holds(
                "the Gateway waits for its pods",
                () -> condition(GATEWAY, "/status/conditions", "Programmed").equals(Optional.of("False Pending")));
        Eventually.holds(
                "the Deployment is there",
                () -> server.find("/apis/apps/v1/namespaces/shop/deployments/edge")
                        .isPresent());
        Eventually.holds(
                "the class is held",
                () -> server.find(CLASS)
                        .orElseThrow()
                        .at("/metadata/finalizers/0")
                        .asText()
                        .equals("gateway-exists-finalizer.gateway.networking.k8s.io"));
        Eventually.holds(
                "the route is counted",
                () -> server.find(GATEWAY)
                                .orElseThrow()
                                .at("/status/listeners/0/attachedRoutes")
                                .asInt()
                        == 1);
        List<String> paths =
                server.writes().stream().map(FakeApiServer.Write::path).toList();
        assertThat(paths.getFirst()).as("configuration comes before all else").isEqualTo(MAP);
    }

    @Test
    void aSecondStartChangesNothing() throws Exception {
        gateway();
        route("cart", "cart");
        start();
        settle();
        JsonNode before = all();
        stop();
        start();
        settle();
        assertThat(all()).isEqualTo(before);
    }

    @Test
    void afterAnyChangesAFreshStartFindsNothingToDo() throws Exception {
        var random = new Random(7);
        gateway();
        route("cart", "cart");
        start();
        for (int i = 0; i < 150; i++) {
            String name = "r" + random.nextInt(12);
            if (random.nextInt(3) == 0 && server.find(ROUTES + name).isPresent()) {
                server.remove(ROUTES + name);
            } else {
                route(name, random.nextBoolean() ? "cart" : "nowhere");
            }
            if (random.nextInt(10) == 0) {
                Thread.sleep(random.nextInt(20));
            }
        }
        settle();
        JsonNode before = all();
        stop();
        start();
        settle();
        assertThat(all()).isEqualTo(before);
    }

    private JsonNode all() {
        var all = JSON.createObjectNode();
        for (String path : List.of(
                GATEWAY,
                CLASS,
                MAP,
                ROUTES + "cart",
                "/apis/apps/v1/namespaces/shop/deployments/edge",
                "/api/v1/namespaces/shop/services/edge")) {
            all.set(path, server.find(path).orElseThrow());
        }
        server.list(GROUP + "/namespaces/shop/httproutes")
                .forEach(route -> all.set(route.at("/metadata/name").asText(), route));
        return all;
    }

    private void settle() throws Exception {
        Eventually.holds(
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
                                .isPresent());
        int writes;
        do {
            writes = server.writes().size();
            Thread.sleep(300);
        } while (writes != server.writes().size());
    }

    @Test
    void aBurstIsAHandfulOfWrites() throws Exception {
        gateway();
        start();
        settleGateway();
        int maps = server.writesTo("configmaps/edge-vcl").size();
        for (int i = 0; i < 300; i++) {
            route("r" + i, "cart");
        }
        Eventually.holds(
                "all are counted",
                () -> server.find(GATEWAY)
                                .orElseThrow()
                                .at("/status/listeners/0/attachedRoutes")
                                .asInt()
                        == 300);
        assertThat(server.writesTo("configmaps/edge-vcl").size() - maps).isLessThan(120);
        assertThat(server.writesTo("gateways/edge/status")).hasSizeLessThan(30);
        Eventually.holds(
                "each has its status",
                () -> condition(ROUTES + "r299", "/status/parents/0/conditions", "Accepted")
                        .isPresent());
    }

    private void settleGateway() throws Exception {
        Eventually.holds(
                "the Gateway is known",
                () -> condition(GATEWAY, "/status/conditions", "Programmed").isPresent());
    }

    @Test
    void statusesOfOthersStayAndWhatIsNotOursIsLeftAlone() throws Exception {
        gateway();
        server.putStatus(
                GATEWAY,
                "{\"conditions\":[{\"type\":\"example.com/Theirs\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"m\",\"lastTransitionTime\":\"2020-01-01T00:00:00Z\"}]}");
        server.put(
                GROUP + "/namespaces/shop/gateways/other",
                "{\"metadata\":{\"name\":\"other\",\"namespace\":\"shop\"},\"spec\":{\"gatewayClassName\":\"somebody\",\"listeners\":[{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}]}}");
        start();
        settleGateway();
        assertThat(condition(GATEWAY, "/status/conditions", "example.com/Theirs"))
                .hasValue("True R");
        assertThat(server.find(GROUP + "/namespaces/shop/gateways/other")
                        .orElseThrow()
                        .has("status"))
                .isFalse();
    }

    @Test
    void configurationThatSomebodyEditsOrDeletesComesBack() throws Exception {
        gateway();
        route("cart", "cart");
        start();
        settle();
        String good = routing();
        server.put(MAP, "{\"data\":{\"routing.json\":\"{}\"}}");
        Eventually.holds("an edit is undone", () -> routing().equals(good));
        server.remove(MAP);
        Eventually.holds("it is there again", () -> routing().equals(good));
        server.remove("/apis/apps/v1/namespaces/shop/deployments/edge");
        Eventually.holds(
                "so is a Deployment",
                () -> server.find("/apis/apps/v1/namespaces/shop/deployments/edge")
                        .isPresent());
    }

    @Test
    void whatIsLeftOfAGatewayInOtherNamespacesGoesWithIt() throws Exception {
        server.put("/api/v1/namespaces/far", "{\"metadata\":{\"name\":\"far\"}}");
        server.put(
                "/api/v1/namespaces/far/services/s",
                "{\"metadata\":{\"name\":\"s\",\"namespace\":\"far\"},\"spec\":{\"ports\":[{\"port\":8080}]}}");
        server.put(
                GROUP + "/namespaces/far/referencegrants/g",
                "{\"metadata\":{\"name\":\"g\",\"namespace\":\"far\"},\"spec\":{\"from\":[{\"group\":\"gateway.networking.k8s.io\",\"kind\":\"HTTPRoute\",\"namespace\":\"shop\"}],\"to\":[{\"group\":\"\",\"kind\":\"Service\"}]}}");
        gateway();
        server.put(
                ROUTES + "far",
                "{\"metadata\":{\"name\":\"far\",\"namespace\":\"shop\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\"}],\"rules\":[{\"backendRefs\":[{\"name\":\"s\",\"namespace\":\"far\",\"port\":8080}]}]}}");
        start();
        Eventually.holds(
                "a Role is in the namespace of the Service",
                () -> !rolesIn("far").isEmpty());
        server.remove(ROUTES + "far");
        Eventually.holds("it goes with the last route", () -> rolesIn("far").isEmpty());
        stop();
        server.put(
                "/apis/rbac.authorization.k8s.io/v1/namespaces/far/roles/left",
                "{\"metadata\":{\"name\":\"left\",\"namespace\":\"far\",\"labels\":{\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\","
                        + "\"gateway.networking.k8s.io/gateway-name\":\"gone\",\"gateway.networking.k8s.io/gateway-namespace\":\"shop\"}}}");
        start();
        Eventually.holds("what was left behind is swept", () -> rolesIn("far").isEmpty());
    }

    private List<JsonNode> rolesIn(String namespace) {
        return server.list("/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace + "/roles");
    }

    @Test
    void aRefusedRouteIsToldAsAnEventOnce() throws Exception {
        gateway();
        route("lost", "nowhere");
        start();
        Eventually.holds(
                "it is told",
                () -> !server.list("/api/v1/namespaces/shop/events").isEmpty());
        stop();
        start();
        route("other", "cart");
        Eventually.holds(
                "another turn",
                () -> condition(ROUTES + "other", "/status/parents/0/conditions", "Accepted")
                        .isPresent());
        assertThat(server.list("/api/v1/namespaces/shop/events")).hasSize(1);
        assertThat(server.list("/api/v1/namespaces/shop/events")
                        .getFirst()
                        .path("reason")
                        .asText())
                .isEqualTo("BackendNotFound");
    }

    @Test
    void theFinalizerOfAClassGoesWithItsLastGateway() throws Exception {
        gateway();
        start();
        Eventually.holds(
                "the class is held",
                () -> !server.find(CLASS)
                        .orElseThrow()
                        .at("/metadata/finalizers")
                        .isEmpty());
        server.remove(CLASS);
        assertThat(server.find(CLASS)).isPresent();
        server.remove(GATEWAY);
        Eventually.holds("then it can go", () -> server.find(CLASS).isEmpty());
    }
}
