package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.testkit.kube.FakeApiServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Defects that are confirmed and not solved: these tests fail. */
final class UnsolvedTest {
    private static final String SERVICE = "/api/v1/namespaces/shop/services/edge";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    UnsolvedTest() throws Exception {}

    @AfterEach
    void end() {
        server.unhang();
        stage.close();
    }

    @Test
    void aKeyOfAnotherNamespaceIsNotReadWithoutAGrant() throws Exception {
        server.put("/api/v1/namespaces/bank", "{\"metadata\":{\"name\":\"bank\"}}");
        server.put(
                "/api/v1/namespaces/bank/secrets/key",
                "{\"metadata\":{\"name\":\"key\",\"namespace\":\"bank\"},\"type\":\"kubernetes.io/tls\",\"data\":{\"tls.crt\":\"eA==\",\"tls.key\":\"eA==\"}}");
        stage.listeners(
                "{\"name\":\"web\",\"port\":443,\"protocol\":\"HTTPS\",\"tls\":{\"certificateRefs\":[{\"name\":\"key\",\"namespace\":\"bank\"}]}}");
        stage.start();
        eventually(
                "it is refused",
                () -> server.find(GATEWAY)
                        .map(gateway ->
                                gateway.at("/status/listeners/0/conditions").toString())
                        .filter(conditions -> conditions.contains("RefNotPermitted"))
                        .isPresent());
        assertThat(server.gets()).noneMatch(path -> path.contains("/secrets/key"));
    }

    @Test
    void anObjectThatCameBetweenTheLookAndTheWriteIsLeftAlone() throws Exception {
        server.hang(SERVICE);
        stage.gateway();
        stage.start();
        eventually("it has looked", () -> server.gets().contains(SERVICE));
        Thread.sleep(500);
        JsonNode others = server.put(
                SERVICE,
                "{\"metadata\":{\"name\":\"edge\",\"namespace\":\"shop\"},\"spec\":{\"selector\":{\"app\":\"shop\"}}}");
        server.unhang();
        eventually("it was written", () -> !server.writesTo(SERVICE).isEmpty());
        Thread.sleep(300);
        assertThat(server.find(SERVICE)).hasValue(others);
    }
}
