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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    // Of the Gateway elsewhere: one in this namespace has Roles of its own.
    private Set<String> foreignRoles() {
        return server.list("/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/roles").stream()
                .filter(role -> role.at("/metadata/annotations/varnish.io~1gateway")
                        .asText()
                        .equals("shop/edge"))
                .map(role -> role.at("/metadata/name").asText())
                .collect(Collectors.toSet());
    }

    private String foreignRole() throws Exception {
        eventually("there is a Role", () -> !foreignRoles().isEmpty());
        return foreignRoles().iterator().next();
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
        eventually(
                "an Event names it", () -> !stage.told("Warning", "Conflicted").isEmpty());
        assertThat(stage.told("Warning", "Conflicted"))
                .singleElement()
                .asString()
                .contains("Role " + role + " in namespace tenant", "delete or rename it");
        server.remove(RBAC + "roles/" + role);
        eventually("it has its own", () -> uidOf(role).equals(uidOfGateway()));
    }

    private String uidOfGateway() {
        return server.find(GATEWAY).orElseThrow().at("/metadata/uid").asText();
    }

    // What the annotation of a Role says.
    private String uidOf(String role) {
        return server.find(RBAC + "roles/" + role)
                .map(found -> found.at("/metadata/annotations/varnish.io~1gateway-uid")
                        .asText())
                .orElse("");
    }

    // A Role as of the Gateway, but for the uid, and its name known from a run before.
    private JsonNode putRole(String role, String uid, String label) {
        return server.put(
                RBAC + "roles/" + role,
                "{\"metadata\":{\"name\":\"" + role + "\",\"namespace\":\"tenant\",\"labels\":{"
                        + "\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\",\"gateway.networking.k8s.io/gateway-name\":\""
                        + label + "\","
                        + "\"gateway.networking.k8s.io/gateway-namespace\":\"shop\"},\"annotations\":{\"varnish.io/gateway\":\"shop/edge\""
                        + (uid.isEmpty() ? "" : ",\"varnish.io/gateway-uid\":\"" + uid + "\"") + "}}}");
    }

    @Test
    void aRoleWithTheUidOfAnotherGatewayIsNotTakenForIt() throws Exception {
        tenant();
        server.put(
                GROUP + "/namespaces/tenant/gateways/own",
                "{\"metadata\":{\"name\":\"own\",\"namespace\":\"tenant\"},\"spec\":{\"gatewayClassName\":\"varnish\","
                        + "\"listeners\":[{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}]}}");
        String other = server.find(GROUP + "/namespaces/tenant/gateways/own")
                .orElseThrow()
                .at("/metadata/uid")
                .asText();
        stage.start();
        String role = foreignRole();
        stage.stop();
        server.remove(RBAC + "roles/" + role);
        JsonNode taken = putRole(role, other, "edge");
        stage.start();
        eventually(
                "an Event names it", () -> !stage.told("Warning", "Conflicted").isEmpty());
        server.remove(GATEWAY);
        eventually(
                "its binding is gone",
                () -> server.find(RBAC + "rolebindings/" + role).isEmpty());
        Thread.sleep(500);
        assertThat(server.find(RBAC + "roles/" + role)).hasValue(taken);
    }

    @ParameterizedTest
    @ValueSource(strings = {"edge", "another-label"})
    void aRoleOfADeletedGatewayOfThisNameGoesBeforeTheNewOneIsWritten(String label) throws Exception {
        tenant();
        stage.start();
        String role = foreignRole();
        stage.stop();
        server.remove(RBAC + "roles/" + role);
        String left =
                putRole(role, "of a deleted Gateway", label).at("/metadata/uid").asText();
        stage.start();
        eventually("it has its own", () -> uidOf(role).equals(uidOfGateway()));
        assertThat(server.find(RBAC + "roles/" + role)
                        .orElseThrow()
                        .at("/metadata/uid")
                        .asText())
                .isNotEqualTo(left);
        assertThat(stage.told("Warning", "Conflicted")).isEmpty();
    }

    @Test
    void aRoleOfAnOlderReleaseIsKept() throws Exception {
        tenant();
        stage.start();
        String role = foreignRole();
        stage.stop();
        server.remove(RBAC + "roles/" + role);
        String older = putRole(role, "", "edge").at("/metadata/uid").asText();
        stage.start();
        eventually("it is the Gateway's", () -> uidOf(role).equals(uidOfGateway()));
        assertThat(server.find(RBAC + "roles/" + role)
                        .orElseThrow()
                        .at("/metadata/uid")
                        .asText())
                .isEqualTo(older);
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
