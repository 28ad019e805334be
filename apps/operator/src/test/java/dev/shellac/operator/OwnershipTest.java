package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.MAP;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.testkit.kube.FakeApiServer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects that have the names of a Gateway's children: whose they are decides what becomes of them. */
final class OwnershipTest {
    private static final String SERVICE = "/api/v1/namespaces/shop/services/edge";
    private static final String DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/edge";
    private static final String LABELS = "'app.kubernetes.io/managed-by':'varnish-gateway-operator',"
            + "'gateway.networking.k8s.io/gateway-name':'edge','gateway.networking.k8s.io/gateway-namespace':'shop'";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    OwnershipTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    private JsonNode put(String path, String meta) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return server.put(
                path,
                ("{'metadata':{'name':'" + name + "','namespace':'shop'" + meta
                                + "},'spec':{'selector':{'app':'shop'}}}")
                        .replace('\'', '"'));
    }

    private static String owner(String name, String uid) {
        return ",'ownerReferences':[{'apiVersion':'gateway.networking.k8s.io/v1','kind':'Gateway','name':'" + name
                + "','uid':'" + uid + "','controller':true}]";
    }

    private String uid() {
        return server.find(GATEWAY).orElseThrow().at("/metadata/uid").asText();
    }

    private void becomes(String condition) throws Exception {
        eventually(
                "the Gateway is " + condition,
                () -> stage.condition(GATEWAY, "/status/conditions", "Programmed")
                        .equals(Optional.of(condition)));
    }

    private String message() {
        for (JsonNode condition : server.find(GATEWAY).orElseThrow().at("/status/conditions")) {
            if (condition.path("type").asText().equals("Programmed")) {
                return condition.path("message").asText();
            }
        }
        return "";
    }

    private List<String> addresses() {
        return server.find(GATEWAY).orElseThrow().at("/status/addresses").findValuesAsText("value");
    }

    private boolean isOwned(String path) {
        return server.find(path)
                .filter(object ->
                        object.at("/metadata/ownerReferences/0/uid").asText().equals(uid()))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/namespaces/shop/services/edge, Service edge",
        "/api/v1/namespaces/shop/configmaps/edge-vcl, ConfigMap edge-vcl",
        "/api/v1/namespaces/shop/configmaps/edge-vcl-changes, ConfigMap edge-vcl-changes",
        "/api/v1/namespaces/shop/serviceaccounts/edge-chaperone, ServiceAccount edge-chaperone",
        "/apis/apps/v1/namespaces/shop/deployments/edge, Deployment edge",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles/edge-chaperone, Role edge-chaperone",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings/edge-chaperone, RoleBinding edge-chaperone"
    })
    void anObjectOfSomebodyElseIsLeftAloneAndNamed(String path, String named) throws Exception {
        JsonNode before = put(path, ",'labels':{'app':'shop'}");
        stage.gateway();
        stage.start();
        becomes("False Conflicted");
        assertThat(message()).contains(named, "delete or rename it");
        assertThat(server.find(path)).hasValue(before);
        assertThat(server.writesTo(path)).isEmpty();
        eventually(
                "an Event says so", () -> !stage.told("Warning", "Conflicted").isEmpty());

        server.remove(path);
        eventually("the Gateway has its own", () -> isOwned(path));
        becomes("False Pending");
    }

    @Test
    void copiedLabelsMakeNobodyOurs() throws Exception {
        put(SERVICE, ",'labels':{" + LABELS + "}");
        JsonNode taken = server.put(SERVICE, "{\"spec\":{\"clusterIPs\":[\"192.0.2.66\"]}}");
        String copy = "/api/v1/namespaces/shop/services/copy";
        JsonNode beside = put(copy, ",'labels':{" + LABELS + "}");
        stage.gateway();
        stage.start();
        becomes("False Conflicted");
        eventually("the rest is there", () -> isOwned(DEPLOYMENT) && isOwned(MAP));
        Thread.sleep(500);
        assertThat(addresses()).isEmpty();
        server.remove(GATEWAY);
        stage.stop();
        stage.start();
        eventually("nobody is there", () -> server.find(GATEWAY).isEmpty());
        assertThat(server.find(SERVICE)).hasValue(taken);
        assertThat(server.find(copy)).hasValue(beside);
        assertThat(server.writesTo(copy)).isEmpty();
    }

    @Test
    void onlyItsOwnServiceGivesAGatewayAnAddress() throws Exception {
        put(SERVICE, ",'labels':{" + LABELS + "}" + owner("edge", "somebody"));
        server.put(SERVICE, "{\"spec\":{\"clusterIPs\":[\"192.0.2.66\"]}}");
        stage.gateway();
        stage.start();
        eventually("it has the rest", () -> isOwned(DEPLOYMENT) && isOwned(MAP));
        Thread.sleep(500);
        assertThat(addresses()).isEmpty();
        server.remove(SERVICE);
        eventually("it has its Service", () -> isOwned(SERVICE));
        server.putStatus(SERVICE, "{\"loadBalancer\":{\"ingress\":[{\"ip\":\"192.0.2.1\"}]}}");
        eventually("it has its address", () -> addresses().equals(List.of("192.0.2.1")));
    }

    @Test
    void whatAnotherOperatorOfThisGatewayMadeIsTakenOver() throws Exception {
        stage.gateway();
        put(SERVICE, ",'labels':{" + LABELS + "}" + owner("edge", uid()));
        put(DEPLOYMENT, owner("edge", uid()));
        stage.start();
        eventually(
                "both are as we want them",
                () -> server.find(SERVICE)
                                        .orElseThrow()
                                        .at("/spec/ports/0/port")
                                        .asInt()
                                == 80
                        && server.find(DEPLOYMENT).orElseThrow().at("/spec").has("template"));
        becomes("False Pending");
    }

    @Test
    void whatADeletedGatewayOfTheSameNameOwnedIsWaitedFor() throws Exception {
        JsonNode old = put(SERVICE, ",'labels':{" + LABELS + "}" + owner("edge", "the-old-one"));
        stage.gateway();
        stage.start();
        eventually("it waits", () -> message().contains("Service edge belongs to a deleted Gateway"));
        becomes("False Pending");
        assertThat(server.find(SERVICE)).hasValue(old);
        assertThat(server.writesTo(SERVICE)).isEmpty();
        server.remove(SERVICE);
        eventually("it has its own", () -> isOwned(SERVICE));
        eventually("it waits for its pods", () -> message().contains("no pod"));
    }

    @Test
    void podsDoNotRunAsSomebodyElse() throws Exception {
        String account = "/api/v1/namespaces/shop/serviceaccounts/edge-chaperone";
        put(account, "");
        stage.gateway();
        stage.start();
        becomes("False Conflicted");
        eventually("its configuration is there", () -> isOwned(MAP));
        assertThat(server.find(DEPLOYMENT)).isEmpty();
        server.remove(account);
        eventually("they run as themselves", () -> isOwned(DEPLOYMENT));
    }

    @Test
    void aGatewayThatBecomesSomebodyElsesLosesWhatItOwnsAndNothingElse() throws Exception {
        stage.gateway();
        stage.start();
        eventually("it has all", () -> isOwned(DEPLOYMENT) && isOwned(SERVICE) && isOwned(MAP));
        String copy = "/api/v1/namespaces/shop/services/copy";
        put(copy, ",'labels':{" + LABELS + "}");
        server.put(Stage.CLASS, "{\"spec\":{\"controllerName\":\"example.com/other\"}}");
        server.put(GATEWAY, "{\"metadata\":{\"labels\":{\"touched\":\"yes\"}}}");
        eventually(
                "it has nothing",
                () -> server.find(DEPLOYMENT).isEmpty()
                        && server.find(SERVICE).isEmpty()
                        && server.find(MAP).isEmpty());
        assertThat(server.find(copy)).isPresent();
    }

    @Test
    void aServiceOfSomebodyElseSaysNothingAboutSockets() throws Exception {
        server.put(
                SERVICE,
                "{\"metadata\":{\"name\":\"edge\",\"namespace\":\"shop\",\"annotations\":{\"varnish.io/socket-pool\":\"512\"}},"
                        + "\"spec\":{\"ports\":[{\"port\":80,\"targetPort\":10300}]}}");
        stage.gateway();
        stage.start();
        eventually("its pods are there", () -> isOwned(DEPLOYMENT));
        assertThat(server.find(DEPLOYMENT).orElseThrow().toString())
                .contains("pool-15")
                .doesNotContain("pool-16");
    }

    @Test
    void whatHasTheNameOfSomethingThatIsNotWantedAnyMoreIsNoObstacle() throws Exception {
        String budget = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/edge";
        put(budget, "");
        stage.parameters("{\"podDisruptionBudget\":{\"maxUnavailable\":1}}");
        stage.gateway();
        stage.start();
        becomes("False Conflicted");
        server.put(Stage.PARAMETERS, "{\"spec\":{\"podDisruptionBudget\":null}}");
        becomes("False Pending");
        assertThat(server.find(budget)).isPresent();
    }
}
