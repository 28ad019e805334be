package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.GROUP;
import static dev.shellac.operator.Stage.ROUTES;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.kube.FakeApiServer;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one namespace does to the others in the operator: nothing. */
final class NeighboursTest {
    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    NeighboursTest() throws Exception {}

    @AfterEach
    void end() {
        server.unhang();
        stage.close();
    }

    // As many Gateways, with routes that cannot be resolved and so are told as Events too, as there are writers.
    private void neighbours() {
        server.put("/api/v1/namespaces/bad", "{\"metadata\":{\"name\":\"bad\"}}");
        for (int i = 0; i < 20; i++) {
            server.put(
                    GROUP + "/namespaces/bad/gateways/g" + i,
                    "{\"metadata\":{\"name\":\"g" + i
                            + "\",\"namespace\":\"bad\"},\"spec\":{\"gatewayClassName\":\"varnish\",\"listeners\":[{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}]}}");
            server.put(
                    GROUP + "/namespaces/bad/httproutes/r" + i,
                    "{\"metadata\":{\"name\":\"r" + i
                            + "\",\"namespace\":\"bad\"},\"spec\":{\"parentRefs\":[{\"name\":\"g" + i
                            + "\"}],\"rules\":[{\"backendRefs\":[{\"name\":\"nowhere\",\"port\":80}]}]}}");
        }
    }

    @Test
    void aNamespaceWhoseWebhookHangsDelaysNobodyElse() throws Exception {
        server.hang("/api/v1/namespaces/bad/");
        server.hang("/apis/apps/v1/namespaces/bad/");
        server.hang("/apis/rbac.authorization.k8s.io/v1/namespaces/bad/");
        server.hang(GROUP + "/namespaces/bad/");
        neighbours();
        stage.start();
        eventually(
                "the neighbours are being written",
                () -> server.reads().stream().anyMatch(path -> path.contains("httproutes")));
        stage.gateway();
        stage.route("cart", "cart");
        eventually("its configuration is written", () -> stage.routing().contains("shop/cart"));
        eventually(
                "its children are",
                () -> server.find("/apis/apps/v1/namespaces/shop/deployments/edge")
                        .isPresent());
        eventually(
                "its statuses are",
                () -> stage.condition(ROUTES + "cart", "/status/parents/0/conditions", "Accepted")
                                .isPresent()
                        && stage.condition(GATEWAY, "/status/conditions", "Accepted")
                                .isPresent());
        stage.route("lost", "nowhere");
        eventually("its Events are", () -> !stage.events("lost").isEmpty());
        assertThat(stage.condition(GROUP + "/namespaces/bad/gateways/g0", "/status/conditions", "Accepted"))
                .as("while the neighbours hang")
                .isEqualTo(Optional.empty());
        server.unhang();
        eventually(
                "then they get theirs",
                () -> stage.condition(GROUP + "/namespaces/bad/gateways/g19", "/status/conditions", "Accepted")
                        .isPresent());
    }

    @Test
    void keysOfOthersAreNotRead() throws Exception {
        for (String name : new String[] {"ours", "others"}) {
            server.put(
                    "/api/v1/namespaces/shop/secrets/" + name,
                    "{\"metadata\":{\"name\":\"" + name
                            + "\",\"namespace\":\"shop\"},\"type\":\"kubernetes.io/tls\",\"data\":{\"tls.crt\":\"eA==\",\"tls.key\":\"eA==\"}}");
        }
        stage.listeners(
                "{\"name\":\"web\",\"port\":443,\"protocol\":\"HTTPS\",\"tls\":{\"certificateRefs\":[{\"name\":\"ours\"}]}}");
        stage.start();
        eventually(
                "the one is looked at",
                () -> server.find(GATEWAY)
                        .map(gateway ->
                                gateway.at("/status/listeners/0/conditions").toString())
                        .filter(conditions -> conditions.contains("InvalidCertificateRef"))
                        .isPresent());
        assertThat(server.gets().stream().filter(path -> path.contains("/secrets/")))
                .containsOnly("/api/v1/namespaces/shop/secrets/ours");
    }
}
