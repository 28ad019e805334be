package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.MAP;
import static dev.shellac.operator.Stage.ROUTES;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.testkit.kube.FakeApiServer;
import dev.shellac.varnishconfig.wire.Digest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user's VCL that is missing, that goes, and that cannot be used. */
final class UserVclTest {
    private static final String USER = "/api/v1/namespaces/shop/configmaps/user";
    private static final String GOOD = "sub vcl_deliver { set resp.http.X-User = 1; }";
    private static final String ENDLESS = "sub vcl_deliver {";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();
    // A pod has the port that all pods have, on an address of its own.
    private final InetAddress address = InetAddress.ofLiteral("127.77.0.2");
    private final HttpServer pod = HttpServer.create(new InetSocketAddress(address, 8081), 8);
    private final AtomicReference<String> state = new AtomicReference<>("{}");

    UserVclTest() throws Exception {}

    @BeforeEach
    void begin() throws Exception {
        pod.createContext("/state", this::answer);
        pod.start();
        stage.parameters("{\"userVCLConfigMapRef\":{\"name\":\"user\",\"namespace\":\"shop\"}}");
        stage.gateway();
        stage.route("cart", "cart");
    }

    @AfterEach
    void end() {
        stage.close();
        pod.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = state.get().getBytes(UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void vcl(String text) {
        server.put(
                USER,
                "{\"metadata\":{\"name\":\"user\",\"namespace\":\"shop\"},\"data\":{\"user.vcl\":\"" + text + "\"}}");
    }

    private String main() {
        return server.find(MAP)
                .map(map -> map.path("data").path("main.vcl").asText())
                .orElse("");
    }

    /** The pod takes what is written. */
    private void serve() throws Exception {
        stage.pod("edge-1", address.getHostAddress());
        state.set("{\"version\":\"1\",\"vcl\":{\"hash\":\"sha256:" + Digest.of(main().getBytes(UTF_8)) + "\"}}");
        eventually("it is kept", () -> kept() == 1);
    }

    private long kept() {
        return server.list("/api/v1/namespaces/default/configmaps").stream()
                .filter(map -> map.at("/metadata/name").asText().startsWith("last-user-vcl-"))
                .count();
    }

    private void says(String type, String condition, String words) throws Exception {
        eventually(
                type + " is " + condition + ": " + words,
                () -> stage.condition(GATEWAY, "/status/conditions", type).equals(Optional.of(condition))
                        && message(type).contains(words));
    }

    private String message(String type) {
        for (JsonNode condition : server.find(GATEWAY).orElseThrow().at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path("message").asText();
            }
        }
        return "";
    }

    @Test
    void aConfigMapThatWasNeverThereIsAWarningAndNoVcl() throws Exception {
        stage.start();
        stage.settle();
        says("ResolvedRefs", "False InvalidParameters", "ConfigMap shop/user, which does not exist");
        says("Accepted", "True Accepted", "");
        assertThat(main()).contains("router.recv").doesNotContain("The user's part");
        assertThat(stage.routing()).contains("shop/cart");

        vcl(GOOD);
        eventually("it is part of the VCL", () -> main().contains(GOOD));
        eventually(
                "nothing is missing any more",
                () -> stage.condition(GATEWAY, "/status/conditions", "ResolvedRefs")
                        .isEmpty());
    }

    @Test
    void oneThatGoesLeavesItsLastTextAlsoOverARestart() throws Exception {
        vcl(GOOD);
        stage.start();
        stage.settle();
        serve();
        server.remove(USER);
        says(
                "ResolvedRefs",
                "False InvalidParameters",
                "does not exist any more: the text that was last in effect stays");
        assertThat(main()).contains(GOOD);

        stage.stop();
        server.remove(MAP);
        stage.start();
        eventually("all is written anew", () -> main().contains(GOOD));
        says("ResolvedRefs", "False InvalidParameters", "does not exist any more");

        server.put(USER, "{\"metadata\":{\"name\":\"user\",\"namespace\":\"shop\"},\"data\":{\"other\":\"\"}}");
        says("ResolvedRefs", "False InvalidParameters", "does not have it any more");
        assertThat(main()).contains(GOOD);

        stage.parameters("{\"userVCLConfigMapRef\":null}");
        eventually("it goes with what named it", () -> !main().contains(GOOD) && kept() == 0);
    }

    @Test
    void oneThatCannotBeUsedLeavesTheLastOneAlsoOverARestart() throws Exception {
        vcl(GOOD);
        stage.start();
        stage.settle();
        serve();
        vcl("sub vcl_deliver { nonsense; }");
        eventually("what only the compiler refuses is written", () -> main().contains("nonsense"));
        vcl(ENDLESS);
        eventually("what pods had is back", () -> main().contains(GOOD));
        says(
                "Programmed",
                "False Invalid",
                "the VCL was refused: ConfigMap shop/user, user.vcl, line 1, column 17: { is not closed");
        stage.stop();
        server.remove(MAP);
        stage.start();
        eventually(
                "all is written, with the last good one",
                () -> main().contains(GOOD) && stage.routing().contains("shop/cart"));
        says("Programmed", "False Invalid", "user.vcl, line 1, column 17: { is not closed");

        vcl(GOOD);
        eventually(
                "what was taken back is not refused any more",
                () -> !message("Programmed").contains("refused"));
    }

    @Test
    void whereNoneWasEverGoodAllElseIsWrittenAndPodsKeepTheirVcl() throws Exception {
        vcl(ENDLESS);
        stage.start();
        says("Programmed", "False Invalid", "user.vcl, line 1, column 17: { is not closed");
        eventually("routes are written", () -> stage.routing().contains("shop/cart"));
        eventually(
                "the route has its status",
                () -> stage.condition(ROUTES + "cart", "/status/parents/0/conditions", "Accepted")
                        .isPresent());
        assertThat(server.find(MAP).orElseThrow().path("data").has("main.vcl")).isFalse();
        vcl(GOOD);
        eventually("it is there when it is good", () -> main().contains(GOOD));
    }

    @Test
    void aRefusalThatAPodStillReportsIsOverWhenItHasWhatItShallHave() throws Exception {
        vcl(GOOD);
        stage.start();
        stage.settle();
        stage.pod("edge-1", address.getHostAddress());
        String hash = "sha256:" + Digest.of(main().getBytes(UTF_8));
        vcl("sub vcl_deliver { nonsense; }");
        eventually("it is written", () -> main().contains("nonsense"));
        state.set("{\"version\":\"1\",\"vcl\":{\"hash\":\"" + hash + "\",\"refused\":\"no such thing\"}}");
        says("Programmed", "False Invalid", "the VCL was refused: no such thing");
        vcl(GOOD);
        eventually("it is over", () -> !message("Programmed").contains("refused"));
    }

    private String good() {
        return server.find(MAP)
                .map(map -> map.path("data").path("main.vcl.good").asText())
                .orElse("");
    }

    /** A pod that is added meanwhile has nothing of its own to fall back to. */
    @Test
    void whilePodsRefuseAVclTheLastGoodOneIsBesideIt() throws Exception {
        vcl(GOOD);
        stage.start();
        stage.settle();
        serve();
        String hash = "sha256:" + Digest.of(main().getBytes(UTF_8));
        String before = main();
        vcl("sub vcl_deliver { nonsense; }");
        eventually("it is written", () -> main().contains("nonsense"));
        assertThat(good()).as("nobody has refused it yet").isEmpty();
        state.set("{\"version\":\"2\",\"vcl\":{\"hash\":\"" + hash + "\",\"refused\":\"no such thing\"}}");
        eventually("the last good one is beside it", () -> good().equals(before));
        assertThat(main()).contains("nonsense");
        says("Programmed", "False Invalid", "the VCL was refused: no such thing");

        vcl(GOOD);
        eventually("all is as before", () -> main().equals(before));
        server.remove(MAP);
        eventually("it is written anew", () -> main().equals(before));
        assertThat(good()).isEmpty();
    }

    @Test
    void theLastTextIsKeptWhileParametersCannotBeRead() throws Exception {
        vcl(GOOD);
        stage.start();
        stage.settle();
        serve();
        stage.parameters("{\"trustedProxies\":[\"10.0.0.1\"]}");
        says("Accepted", "False InvalidParameters", "is not a network");
        stage.stop();
        server.remove(USER);
        stage.start();
        stage.route("other", "cart");
        eventually(
                "the new process has looked",
                () -> stage.condition(ROUTES + "other", "/status/parents/0/conditions", "Accepted")
                        .isPresent());
        assertThat(kept()).isEqualTo(1);
        stage.parameters("{\"trustedProxies\":[\"10.0.0.0/8\"]}");
        says(
                "ResolvedRefs",
                "False InvalidParameters",
                "does not exist any more: the text that was last in effect stays");
        assertThat(main()).contains(GOOD);
    }
}
