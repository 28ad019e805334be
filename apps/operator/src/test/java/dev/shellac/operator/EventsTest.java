package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.ROUTES;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.testkit.kube.FakeApiServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What people are told by Events. */
final class EventsTest {
    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    EventsTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    private static String ports(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"name\":\"l" + i + "\",\"port\":" + (8000 + i) + ",\"protocol\":\"HTTP\"}")
                .collect(Collectors.joining(","));
    }

    private void tells(String type, String reason, String words) throws Exception {
        eventually(
                reason + " is told: " + words,
                () -> stage.told(type, reason).stream().anyMatch(message -> message.contains(words)));
    }

    private void settled() throws Exception {
        eventually(
                "the Gateway has its status",
                () -> stage.condition(GATEWAY, "/status/conditions", "Programmed")
                                .isPresent()
                        && server.find("/apis/apps/v1/namespaces/shop/deployments/edge")
                                .isPresent());
    }

    @Test
    void aRefusedRouteIsToldOnceThoughAnotherProcessLooksAgain() throws Exception {
        stage.gateway();
        stage.route("lost", "nowhere");
        stage.start();
        eventually("it is told", () -> !stage.events("lost").isEmpty());
        stage.stop();
        stage.start();
        stage.route("other", "cart");
        eventually(
                "another turn",
                () -> stage.condition(ROUTES + "other", "/status/parents/0/conditions", "Accepted")
                        .isPresent());
        List<JsonNode> events = stage.events("lost");
        assertThat(events).hasSize(1);
        assertThat(events.getFirst().path("reason").asText()).isEqualTo("BackendNotFound");
        assertThat(stage.events("other")).isEmpty();
    }

    @Test
    void morePortsThanSocketsRestartPods() throws Exception {
        stage.listeners(ports(16));
        stage.start();
        settled();
        assertThat(stage.events("edge")).isEmpty();
        stage.listeners(ports(17));
        tells("Normal", "PodsRestart", "they listen on 16 sockets, and 17 HTTP ports need 32");
    }

    @Test
    void aNewGatewayWithManyPortsRestartsNothing() throws Exception {
        stage.listeners(ports(17));
        stage.start();
        settled();
        assertThat(stage.events("edge")).isEmpty();
    }

    @Test
    void vclThatHasNoEnd() throws Exception {
        server.put(
                "/api/v1/namespaces/shop/configmaps/user",
                "{\"metadata\":{\"name\":\"user\",\"namespace\":\"shop\"},\"data\":{\"user.vcl\":\"sub vcl_recv {\"}}");
        stage.parameters("{\"userVCLConfigMapRef\":{\"name\":\"user\",\"namespace\":\"shop\"}}");
        stage.gateway();
        stage.start();
        tells(
                "Warning",
                "Invalid",
                "the VCL was refused: ConfigMap shop/user, user.vcl, line 1, column 14: { is not closed");
    }

    @Test
    void aMemoryLimitWithoutRoomForACache() throws Exception {
        stage.parameters("{\"resources\":{\"limits\":{\"memory\":\"200Mi\"}}}");
        stage.gateway();
        stage.start();
        tells("Warning", "InvalidParameters", "has no room for a cache");
    }

    @Test
    void anAddressThatNobodyGives() throws Exception {
        stage.gateway();
        server.put(GATEWAY, "{\"spec\":{\"addresses\":[{\"type\":\"IPAddress\",\"value\":\"192.0.2.7\"}]}}");
        stage.start();
        tells("Warning", "AddressNotUsable", "192.0.2.7");
    }

    @Test
    void anAddressOfAKindThatNobodyKnows() throws Exception {
        stage.gateway();
        server.put(GATEWAY, "{\"spec\":{\"addresses\":[{\"type\":\"example.com/Name\",\"value\":\"x\"}]}}");
        stage.start();
        tells("Warning", "UnsupportedAddress", "example.com/Name");
    }

    @Test
    void aChildThatTheServerRefuses() throws Exception {
        server.forbid("/apis/apps/v1/namespaces/shop/deployments/edge", "policy says no");
        stage.gateway();
        stage.start();
        tells("Warning", "ChildRefused", "the API server refuses the Deployment: policy says no");
    }

    @Test
    void whatHaproxyInAPodDoesNotTake() throws Exception {
        stage.gateway();
        // A pod has the port that all pods have, on an address of its own.
        InetAddress address = InetAddress.ofLiteral("127.77.0.1");
        HttpServer pod = HttpServer.create(new InetSocketAddress(address, 8081), 8);
        pod.createContext("/state", EventsTest::state);
        pod.start();
        try {
            stage.start();
            stage.pod("edge-1", address.getHostAddress());
            tells("Warning", "NotTaken", "HAProxy leaves out shop.old.pem: key too small");
        } finally {
            stage.stop();
            pod.stop(0);
        }
    }

    private static void state(HttpExchange exchange) throws IOException {
        byte[] body = "{\"version\":\"1\",\"edge\":{\"leftOut\":{\"shop.old.pem\":\"key too small\"}}}".getBytes(UTF_8);
        try (exchange) {
            boolean first = exchange.getRequestURI().getQuery() == null;
            exchange.sendResponseHeaders(first ? 200 : 503, first ? body.length : -1);
            if (first) {
                exchange.getResponseBody().write(body);
            }
        }
    }
}
