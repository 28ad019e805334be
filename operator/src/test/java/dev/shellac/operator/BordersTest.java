package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.GROUP;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.testkit.kube.FakeApiServer;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A namespace whose routes a Gateway of another namespace serves: what it can do to that Gateway. */
final class BordersTest {
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/";
    private static final String DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/edge";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    BordersTest() throws Exception {}

    @AfterEach
    void end() {
        server.unhang();
        stage.close();
    }

    // A Gateway that takes routes of all namespaces, and one of the tenant's.
    private void tenant() {
        server.put("/api/v1/namespaces/tenant", "{\"metadata\":{\"name\":\"tenant\"}}");
        server.put(
                "/api/v1/namespaces/tenant/services/api",
                "{\"metadata\":{\"name\":\"api\",\"namespace\":\"tenant\"},\"spec\":{\"ports\":[{\"port\":8080}]}}");
        stage.listeners(
                "{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\",\"allowedRoutes\":{\"namespaces\":{\"from\":\"All\"}}}");
        server.put(
                GROUP + "/namespaces/tenant/httproutes/api",
                "{\"metadata\":{\"name\":\"api\",\"namespace\":\"tenant\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\",\"namespace\":\"shop\"}],"
                        + "\"rules\":[{\"backendRefs\":[{\"name\":\"api\",\"port\":8080}]}]}}");
    }

    private Set<String> roles() {
        return server.list("/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/roles").stream()
                .map(role -> role.at("/metadata/name").asText())
                .collect(Collectors.toSet());
    }

    private String foreignRole() throws Exception {
        eventually("there is a Role", () -> !roles().isEmpty());
        return roles().iterator().next();
    }

    @Test
    void aSlowWebhookOfATenantDoesNotKeepTheGatewayFromItsPods() throws Exception {
        server.hang(RBAC);
        tenant();
        stage.start();
        eventually(
                "the Deployment is there",
                () -> server.find(DEPLOYMENT).isPresent()
                        && server.find("/api/v1/namespaces/shop/services/edge").isPresent());
    }

    @Test
    void aRoleThatATenantMadeFirstDoesNotMakeTheGatewayConflicted() throws Exception {
        tenant();
        stage.start();
        String role = foreignRole();
        stage.stop();
        server.remove(RBAC + "roles/" + role);
        JsonNode taken = server.put(
                RBAC + "roles/" + role, "{\"metadata\":{\"name\":\"" + role + "\",\"namespace\":\"tenant\"}}");
        server.put(GATEWAY, "{\"status\":null}");
        stage.start();
        eventually(
                "the Gateway has its status",
                () -> stage.condition(GATEWAY, "/status/conditions", "Programmed")
                        .isPresent());
        Thread.sleep(1500);
        assertThat(server.find(RBAC + "roles/" + role)).hasValue(taken);
        assertThat(stage.condition(GATEWAY, "/status/conditions", "Programmed"))
                .isEqualTo(Optional.of("False Pending"));
    }

    @Test
    void whatHasLabelsAndAnnotationsOfAGatewayElsewhereIsNotDeletedForIt() throws Exception {
        String copied = "{\"metadata\":{\"name\":\"NAME\",\"namespace\":\"tenant\",\"labels\":{"
                + "\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\",\"gateway.networking.k8s.io/gateway-name\":\"edge\","
                + "\"gateway.networking.k8s.io/gateway-namespace\":\"shop\"},\"annotations\":{\"varnish.io/gateway\":\"shop/edge\"}}}";
        tenant();
        server.put("/api/v1/namespaces/tenant/configmaps/mine", copied.replace("NAME", "mine"));
        server.put("/api/v1/namespaces/tenant/secrets/mine", copied.replace("NAME", "mine"));
        server.put(RBAC + "roles/mine", copied.replace("NAME", "mine"));
        stage.start();
        eventually("the Deployment is there", () -> server.find(DEPLOYMENT).isPresent());
        server.remove(GATEWAY);
        eventually("the Role is gone", () -> roles().equals(Set.of("mine")));
        Thread.sleep(500);
        assertThat(server.writesTo("/mine")).isEmpty();
    }
}
