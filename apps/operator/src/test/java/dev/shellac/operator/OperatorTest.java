package dev.shellac.operator;

import static dev.shellac.operator.Stage.CLASS;
import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.GROUP;
import static dev.shellac.operator.Stage.MAP;
import static dev.shellac.operator.Stage.ROUTES;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.testkit.kube.FakeApiServer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The whole operator against an API server in memory. */
final class OperatorTest {
    private static final JsonMapper JSON = new JsonMapper();

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    OperatorTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    @Test
    void aGatewayBecomesConfigurationChildrenAndStatuses() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        eventually("the route is in the ConfigMap", () -> stage.routing().contains("shop/cart"));
        eventually(
                "the route is accepted",
                () -> stage.condition(ROUTES + "cart", "/status/parents/0/conditions", "Accepted")
                        .equals(Optional.of("True Accepted")));
        eventually(
                "the class is accepted",
                () -> stage.condition(CLASS, "/status/conditions", "Accepted").equals(Optional.of("True Accepted")));
        eventually(
                "the Gateway waits for its pods",
                () -> stage.condition(GATEWAY, "/status/conditions", "Programmed")
                        .equals(Optional.of("False Pending")));
        eventually(
                "the Deployment is there",
                () -> server.find("/apis/apps/v1/namespaces/shop/deployments/edge")
                        .isPresent());
        eventually(
                "the class is held",
                () -> server.find(CLASS)
                        .orElseThrow()
                        .at("/metadata/finalizers/0")
                        .asText()
                        .equals("gateway-exists-finalizer.gateway.networking.k8s.io"));
        eventually(
                "the route is counted",
                () -> server.find(GATEWAY)
                                .orElseThrow()
                                .at("/status/listeners/0/attachedRoutes")
                                .asInt()
                        == 1);
        List<String> paths = server.writes().stream()
                .map(FakeApiServer.Write::path)
                .filter(path -> !path.startsWith(GROUP))
                .toList();
        assertThat(paths.getFirst()).as("configuration comes before children").isEqualTo(MAP);
    }

    @Test
    void objectsMayComeInAnyOrder() throws Exception {
        server.remove(CLASS);
        server.remove("/api/v1/namespaces/shop/services/cart");
        stage.start();
        stage.route("cart", "cart");
        stage.gateway();
        stage.gatewayClass();
        eventually(
                "the route waits for its Service",
                () -> stage.condition(ROUTES + "cart", "/status/parents/0/conditions", "ResolvedRefs")
                        .equals(Optional.of("False BackendNotFound")));
        stage.service("cart", "8080");
        eventually(
                "then it has it",
                () -> stage.condition(ROUTES + "cart", "/status/parents/0/conditions", "ResolvedRefs")
                        .equals(Optional.of("True ResolvedRefs")));
        eventually(
                "it is part of the whole",
                () -> stage.changes().isEmpty() && stage.whole().contains("\"service\": \"cart\""));
        assertThat(stage.whole()).contains("shop/cart").doesNotContain("\"invalid\": true");
    }

    @Test
    void aSecondStartChangesNothing() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        JsonNode before = all();
        stage.stop();
        stage.start();
        stage.settle();
        assertThat(all()).isEqualTo(before);
    }

    @Test
    void afterAnyChangesAFreshStartFindsNothingToDo() throws Exception {
        var random = new Random(7);
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        for (int i = 0; i < 150; i++) {
            String name = "r" + random.nextInt(12);
            if (random.nextInt(3) == 0 && server.find(ROUTES + name).isPresent()) {
                server.remove(ROUTES + name);
            } else {
                stage.route(name, random.nextBoolean() ? "cart" : "nowhere");
            }
            if (random.nextInt(10) == 0) {
                Thread.sleep(random.nextInt(20));
            }
        }
        stage.settle();
        JsonNode before = all();
        stage.stop();
        stage.start();
        stage.settle();
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

    @Test
    void aBurstIsAHandfulOfWrites() throws Exception {
        stage.gateway();
        stage.start();
        settleGateway();
        int maps = server.writesTo("configmaps/edge-vcl").size();
        for (int i = 0; i < 1000; i++) {
            stage.route("r" + i, "cart");
        }
        eventually(
                "all are counted",
                () -> server.find(GATEWAY)
                                .orElseThrow()
                                .at("/status/listeners/0/attachedRoutes")
                                .asInt()
                        == 1000);
        assertThat(server.writesTo("configmaps/edge-vcl").size() - maps).isLessThan(50);
        assertThat(server.writesTo("gateways/edge/status")).hasSizeLessThan(30);
        eventually(
                "each has its status",
                () -> stage.condition(ROUTES + "r999", "/status/parents/0/conditions", "Accepted")
                        .isPresent());
    }

    private void settleGateway() throws Exception {
        eventually(
                "the Gateway is known",
                () -> stage.condition(GATEWAY, "/status/conditions", "Programmed")
                        .isPresent());
    }

    @Test
    void statusesOfOthersStayAndWhatIsNotOursIsLeftAlone() throws Exception {
        stage.gateway();
        server.putStatus(
                GATEWAY,
                "{\"conditions\":[{\"type\":\"example.com/Theirs\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"m\",\"lastTransitionTime\":\"2020-01-01T00:00:00Z\"}]}");
        server.put(
                GROUP + "/namespaces/shop/gateways/other",
                "{\"metadata\":{\"name\":\"other\",\"namespace\":\"shop\"},\"spec\":{\"gatewayClassName\":\"somebody\",\"listeners\":[{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}]}}");
        stage.start();
        settleGateway();
        assertThat(stage.condition(GATEWAY, "/status/conditions", "example.com/Theirs"))
                .hasValue("True R");
        assertThat(server.find(GROUP + "/namespaces/shop/gateways/other")
                        .orElseThrow()
                        .has("status"))
                .isFalse();
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
        stage.gateway();
        server.put(
                ROUTES + "far",
                "{\"metadata\":{\"name\":\"far\",\"namespace\":\"shop\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\"}],\"rules\":[{\"backendRefs\":[{\"name\":\"s\",\"namespace\":\"far\",\"port\":8080}]}]}}");
        stage.start();
        eventually(
                "a Role is in the namespace of the Service",
                () -> !rolesIn("far").isEmpty());
        server.remove(ROUTES + "far");
        eventually("it goes with the last route", () -> rolesIn("far").isEmpty());
        stage.stop();
        server.put(
                "/apis/rbac.authorization.k8s.io/v1/namespaces/far/roles/gone-chaperone-4cb418df9e",
                "{\"metadata\":{\"name\":\"gone-chaperone-4cb418df9e\",\"namespace\":\"far\",\"labels\":{\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\","
                        + "\"gateway.networking.k8s.io/gateway-name\":\"gone\",\"gateway.networking.k8s.io/gateway-namespace\":\"shop\"},"
                        + "\"annotations\":{\"varnish.io/gateway\":\"shop/gone\"}}}");
        stage.start();
        eventually("what was left behind is swept", () -> rolesIn("far").isEmpty());
    }

    private List<JsonNode> rolesIn(String namespace) {
        return server.list("/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace + "/roles");
    }

    @Test
    void theFinalizerOfAClassGoesWithItsLastGateway() throws Exception {
        stage.gateway();
        stage.start();
        eventually(
                "the class is held",
                () -> !server.find(CLASS)
                        .orElseThrow()
                        .at("/metadata/finalizers")
                        .isEmpty());
        server.remove(CLASS);
        assertThat(server.find(CLASS)).isPresent();
        server.remove(GATEWAY);
        eventually("then it can go", () -> server.find(CLASS).isEmpty());
    }
}
