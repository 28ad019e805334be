package dev.shellac.operator;

import static dev.shellac.operator.Stage.CLASS;
import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.operator.Stage.GROUP;
import static dev.shellac.operator.Stage.ROUTES;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.testkit.kube.FakeApiServer;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects with values that a newer release of Gateway API, or of ours, allows. */
final class OtherReleasesTest {
    private static final String DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/edge";
    private static final String POLICY = GROUP + "/namespaces/shop/backendtlspolicies/tls";
    private static final String SET = GROUP + "/namespaces/shop/listenersets/more";
    private static final String GRANT = GROUP + "/namespaces/stock/referencegrants/g";
    private static final String ENTRY = "/status/parents/0/conditions";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    OtherReleasesTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    private void unreadable(String route) {
        server.put(
                ROUTES + route,
                "{\"metadata\":{\"name\":\"" + route
                        + "\",\"namespace\":\"shop\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\"}],\"hostnames\":[\""
                        + route
                        + ".example.com\"],\"rules\":[{\"filters\":[{\"type\":\"Teleport\"}],\"backendRefs\":[{\"name\":\"cart\",\"port\":8080}]}]}}");
    }

    private void await(String path, String pointer, String type, String condition) throws Exception {
        eventually(
                path + " is " + condition,
                () -> stage.condition(path, pointer, type).equals(Optional.of(condition)));
    }

    @Test
    void aRouteThatIsEditedToWhatWeCannotReadServesWhatItServedAndSaysSo() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        unreadable("cart");
        await(ROUTES + "cart", ENTRY, "Accepted", "False UnsupportedValue");
        JsonNode route = server.find(ROUTES + "cart").orElseThrow();
        JsonNode accepted = route.at(ENTRY + "/0");
        assertThat(accepted.path("observedGeneration").asLong())
                .isEqualTo(route.at("/metadata/generation").asLong())
                .isGreaterThan(1);
        assertThat(accepted.path("message").asText())
                .startsWith(
                        "this version of the route is invalid; the previous version stays in effect: spec.rules[0].filters[0].type: ");
        eventually(
                "its author is told",
                () -> stage.events("cart").stream()
                        .anyMatch(event -> event.path("reason").asText().equals("UnsupportedValue")));
        // Something else changes, and all is written anew.
        stage.route("other", "cart");
        eventually("the other is there", () -> stage.routing().contains("shop/other"));
        assertThat(stage.routing()).contains("shop/cart");

        stage.route("cart", "cart");
        await(ROUTES + "cart", ENTRY, "Accepted", "True Accepted");
    }

    @Test
    void aRouteThatCannotBeReadServesWhatItServedAlsoWhenTheNextProcessStarts() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.route("other", "cart");
        stage.start();
        stage.settle();
        unreadable("cart");
        await(ROUTES + "cart", ENTRY, "Accepted", "False UnsupportedValue");
        eventually("its last valid form is kept", () -> lastValid() == 1);
        stage.stop();
        stage.start();
        // All is written anew.
        server.remove(ROUTES + "other");
        eventually(
                "the other is gone",
                () -> !stage.whole().contains("shop/other") && stage.changes().isEmpty());
        assertThat(stage.routing()).contains("shop/cart");
        await(ROUTES + "cart", ENTRY, "Accepted", "False UnsupportedValue");

        stage.route("cart", "cart");
        await(ROUTES + "cart", ENTRY, "Accepted", "True Accepted");
        eventually("nothing is kept any more", () -> lastValid() == 0);
    }

    private long lastValid() {
        return server.list("/api/v1/namespaces/default/configmaps").stream()
                .filter(map -> map.at("/metadata/name").asText().startsWith("last-valid-routes-"))
                .count();
    }

    @Test
    void aRouteThatWasNeverReadSaysSoAndIsNotServed() throws Exception {
        stage.gateway();
        unreadable("new");
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        await(ROUTES + "new", ENTRY, "Accepted", "False UnsupportedValue");
        assertThat(stage.routing()).contains("shop/cart").doesNotContain("shop/new");
        assertThat(server.find(GATEWAY)
                        .orElseThrow()
                        .at("/status/listeners/0/attachedRoutes")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void aGatewayThatIsEditedToWhatWeCannotReadKeepsItsPodsAndSaysSo() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        String pods = server.find(DEPLOYMENT).orElseThrow().at("/metadata/uid").asText();
        stage.listeners(
                "{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"},{\"name\":\"tls\",\"port\":443,\"protocol\":\"HTTPS\",\"tls\":{\"mode\":\"Teleport\"}}");
        await(GATEWAY, "/status/conditions", "Accepted", "False Invalid");
        eventually(
                "its author is told",
                () -> stage.told("Warning", "Invalid").stream()
                        .anyMatch(words -> words.contains("spec.listeners[1].tls.mode: ")));
        // A new process knows no earlier form of it.
        stage.stop();
        stage.start();
        stage.gatewayClass();
        await(CLASS, "/status/conditions", "Accepted", "True Accepted");
        assertThat(server.find(DEPLOYMENT)
                        .map(found -> found.at("/metadata/uid").asText()))
                .hasValue(pods);
        assertThat(stage.routing()).contains("shop/cart");

        stage.gateway();
        await(GATEWAY, "/status/conditions", "Accepted", "True Accepted");
    }

    @Test
    void parametersThatBreakARuleOfOursAreRefusedInItsWords() throws Exception {
        stage.gateway();
        stage.parameters("{\"trustedProxies\":[\"10.0.0.1\"]}");
        stage.start();
        await(GATEWAY, "/status/conditions", "Accepted", "False InvalidParameters");
        assertThat(server.find(GATEWAY)
                        .orElseThrow()
                        .at("/status/conditions/0/message")
                        .asText())
                .isEqualTo(
                        "GatewayClass varnish: GatewayClassParameters pods: spec.trustedProxies[0]: '10.0.0.1' is not a network such as 10.0.0.0/8 or fd00::/8");
        stage.parameters("{\"trustedProxies\":[\"10.0.0.1/32\"]}");
        await(GATEWAY, "/status/conditions", "Accepted", "True Accepted");
    }

    private void policy(String type) {
        server.put(
                POLICY,
                "{\"metadata\":{\"name\":\"tls\",\"namespace\":\"shop\"},\"spec\":{\"targetRefs\":[{\"group\":\"\",\"kind\":\"Service\",\"name\":\"cart\"}],"
                        + "\"validation\":{\"hostname\":\"cart.example.com\",\"wellKnownCACertificates\":\"System\",\"subjectAltNames\":[{\"type\":\""
                        + type + "\",\"hostname\":\"cart.example.com\"}]}}}");
    }

    /** Plain text where TLS was asked for would be the worst of all answers. */
    @Test
    void aPolicyForTlsThatIsEditedToWhatWeCannotReadKeepsItsServiceFromPlainText() throws Exception {
        stage.define("gateway.networking.k8s.io/v1", "BackendTLSPolicy", "backendtlspolicies");
        stage.gateway();
        stage.route("cart", "cart");
        policy("Hostname");
        stage.start();
        stage.settle();
        await(ROUTES + "cart", ENTRY, "ResolvedRefs", "False UnsupportedProtocol");
        policy("Teleport");
        eventually(
                "its author is told",
                () -> server.find(POLICY)
                        .orElseThrow()
                        .at("/status/ancestors/0/conditions/0/message")
                        .asText()
                        .startsWith(
                                "this version of the policy is invalid: spec.validation.subjectAltNames[0].type: "));
        await(POLICY, "/status/ancestors/0/conditions", "Accepted", "False Invalid");
        // Something else changes, and all is written anew.
        stage.route("other", "cart");
        await(ROUTES + "other", ENTRY, "ResolvedRefs", "False UnsupportedProtocol");
        assertThat(stage.condition(ROUTES + "cart", ENTRY, "ResolvedRefs")).hasValue("False UnsupportedProtocol");
    }

    @Test
    void aPolicyForTlsWhoseTargetsCannotBeReadGoesOnToCountForThoseItHad() throws Exception {
        stage.define("gateway.networking.k8s.io/v1", "BackendTLSPolicy", "backendtlspolicies");
        stage.gateway();
        stage.route("cart", "cart");
        policy("Hostname");
        stage.start();
        stage.settle();
        server.put(
                POLICY,
                "{\"metadata\":{\"name\":\"tls\",\"namespace\":\"shop\"},\"spec\":{\"targetRefs\":[{\"group\":\"\",\"kind\":\"Service\",\"name\":7}]}}");
        eventually(
                "its author is told",
                () -> stage.events("tls").stream()
                        .anyMatch(event -> event.path("reason").asText().equals("UnsupportedValue")));
        stage.route("other", "cart");
        await(ROUTES + "other", ENTRY, "ResolvedRefs", "False UnsupportedProtocol");
        assertThat(stage.condition(POLICY, "/status/ancestors/0/conditions", "Accepted"))
                .hasValue("False Invalid");
    }

    private void listenerSet(String protocol) {
        server.put(
                SET,
                "{\"metadata\":{\"name\":\"more\",\"namespace\":\"shop\"},\"spec\":{\"parentRef\":{\"name\":\"edge\"},\"listeners\":["
                        + "{\"name\":\"alt\",\"port\":8081,\"protocol\":\"HTTP\"}" + protocol + "]}}");
    }

    @Test
    void listenersOfASetThatIsEditedToWhatWeCannotReadStay() throws Exception {
        stage.define("gateway.networking.k8s.io/v1", "ListenerSet", "listenersets");
        server.put(
                GATEWAY,
                "{\"metadata\":{\"name\":\"edge\",\"namespace\":\"shop\"},\"spec\":{\"gatewayClassName\":\"varnish\",\"allowedListeners\":{\"namespaces\":{\"from\":\"Same\"}},\"listeners\":["
                        + "{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\"}]}}");
        stage.route("cart", "cart");
        listenerSet("");
        stage.start();
        stage.settle();
        await(SET, "/status/conditions", "Accepted", "True Accepted");
        listenerSet(",{\"name\":\"tls\",\"port\":443,\"protocol\":\"HTTPS\",\"tls\":{\"mode\":\"Teleport\"}}");
        eventually(
                "its author is told",
                () -> stage.events("more").stream()
                        .anyMatch(event -> event.path("message")
                                .asText()
                                .startsWith("this form is not taken: spec.listeners[1].tls.mode: ")));
        stage.route("other", "cart");
        eventually("the other is there", () -> stage.routing().contains("shop/other"));
        assertThat(server.find(GATEWAY)
                        .orElseThrow()
                        .at("/status/attachedListenerSets")
                        .asInt())
                .isEqualTo(1);
    }

    /** What was edited may be a permission that is taken back. */
    @Test
    void aGrantThatIsEditedToWhatWeCannotReadGrantsNothing() throws Exception {
        server.put("/api/v1/namespaces/stock", "{\"metadata\":{\"name\":\"stock\"}}");
        server.put(
                "/api/v1/namespaces/stock/services/cart",
                "{\"metadata\":{\"name\":\"cart\",\"namespace\":\"stock\"},\"spec\":{\"ports\":[{\"port\":8080}]}}");
        server.put(
                GRANT,
                "{\"metadata\":{\"name\":\"g\",\"namespace\":\"stock\"},\"spec\":{\"from\":[{\"group\":\"gateway.networking.k8s.io\",\"kind\":\"HTTPRoute\",\"namespace\":\"shop\"}],\"to\":[{\"group\":\"\",\"kind\":\"Service\"}]}}");
        stage.gateway();
        server.put(
                ROUTES + "cart",
                "{\"metadata\":{\"name\":\"cart\",\"namespace\":\"shop\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\"}],\"rules\":[{\"backendRefs\":[{\"name\":\"cart\",\"namespace\":\"stock\",\"port\":8080}]}]}}");
        stage.start();
        await(ROUTES + "cart", ENTRY, "ResolvedRefs", "True ResolvedRefs");
        server.put(GRANT, "{\"metadata\":{\"name\":\"g\",\"namespace\":\"stock\"},\"spec\":{\"from\":7}}");
        await(ROUTES + "cart", ENTRY, "ResolvedRefs", "False RefNotPermitted");
    }
}
