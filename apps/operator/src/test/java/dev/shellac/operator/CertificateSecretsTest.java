package dev.shellac.operator;

import static dev.shellac.operator.Stage.GATEWAY;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.testkit.kube.FakeApiServer;
import dev.shellac.testkit.kube.FakeApiServer.Write;
import dev.shellac.testkit.tls.TestCertificates;
import dev.shellac.varnishconfig.wire.Digest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Secrets that pods have their certificates from. */
final class CertificateSecretsTest {
    private static final String SECRETS = "/api/v1/namespaces/shop/secrets";
    private static final String FORMER = SECRETS + "/edge-tls";
    private static final String INDEX = SECRETS + "/edge-certificates-index";
    private static final String ROLE = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles/edge-chaperone";
    private static final String CLIENTS = "/api/v1/namespaces/shop/configmaps/clients";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();
    private volatile String state = "";

    @TempDir
    private Path folder;

    CertificateSecretsTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    /** A revoked authority must not stay trusted. */
    @Test
    void anotherAuthorityOfClientsReachesThePodsAtOnce() throws Exception {
        TestCertificates.Pair first = pair("first");
        TestCertificates.Pair next = pair("next");
        secret("one", pair("one"));
        authority(first);
        listeners("one");
        server.put(
                GATEWAY,
                "{\"spec\":{\"tls\":{\"frontend\":{\"default\":{\"validation\":{\"caCertificateRefs\":[{\"group\":\"\",\"kind\":\"ConfigMap\",\"name\":\"clients\"}]}}}}}}");
        stage.start();
        eventually("it is there", () -> files().getOrDefault("port-443.ca", "").equals(first.certificate()));
        authority(next);
        eventually("and the next", () -> files().getOrDefault("port-443.ca", "").equals(next.certificate()));
    }

    @Test
    void aRotationWritesOnePartAndThenTheIndex() throws Exception {
        for (String name : List.of("one", "two", "three")) {
            secret(name, pair(name));
        }
        listeners("one", "two", "three");
        stage.start();
        eventually("all are there", () -> files().containsKey("shop.three.pem"));
        stage.settleChildren();
        int before = server.writes().size();
        TestCertificates.Pair next = pair("next");
        secret("two", next);
        eventually("the next", () -> files().getOrDefault("shop.two.pem", "").contains(body(next)));
        stage.settleChildren();
        List<String> written = server.writes().stream()
                .skip(before)
                .map(Write::path)
                .filter(path -> path.startsWith(SECRETS))
                .toList();
        assertThat(written).hasSize(2);
        assertThat(written.getFirst()).matches(SECRETS + "/edge-certificates-[0-9]+");
        assertThat(written.getLast()).isEqualTo(INDEX);
        assertThat(server.find(FORMER)).isEmpty();
    }

    /** Pods take a VCL beside keys only if the index names it. */
    @Test
    void theIndexNamesTheVclOfTheConfigMap() throws Exception {
        secret("one", pair("one"));
        listeners("one");
        stage.parameters("{\"userVCLConfigMapRef\":{\"name\":\"user\",\"namespace\":\"shop\"}}");
        user("1");
        stage.start();
        eventually("it names the first", () -> main().contains("X-User = 1;") && isNamed());
        stage.settleChildren();
        int before = server.writes().size();
        user("2");
        eventually("it names the next", () -> main().contains("X-User = 2;") && isNamed());
        assertThat(server.writes().stream()
                        .skip(before)
                        .map(Write::path)
                        .filter(path -> path.startsWith(SECRETS))
                        .toList())
                .containsExactly(INDEX);
    }

    private void user(String number) {
        server.put(
                "/api/v1/namespaces/shop/configmaps/user",
                "{\"metadata\":{\"name\":\"user\",\"namespace\":\"shop\"},\"data\":{\"user.vcl\":\"sub vcl_deliver { set resp.http.X-User = "
                        + number + "; }\"}}");
    }

    private String main() {
        return server.find(Stage.MAP)
                .map(map -> map.path("data").path("main.vcl").asText())
                .orElse("");
    }

    private boolean isNamed() {
        return server.find(INDEX)
                .map(index -> index.path("data").path("main.vcl.sha256").asText())
                .equals(Optional.of(Base64.getEncoder()
                        .encodeToString(("sha256:" + Digest.of(main().getBytes(UTF_8))).getBytes(UTF_8))));
    }

    @Test
    void withoutAPartThereIsNoIndex() throws Exception {
        for (int i = 0; i < 16; i++) {
            server.forbid(SECRETS + "/edge-certificates-" + i, "not now");
        }
        secret("one", pair("one"));
        listeners("one");
        stage.start();
        eventually(
                "a part is tried",
                () -> server.writes().stream()
                        .anyMatch(write -> write.path().startsWith(SECRETS + "/edge-certificates-")));
        stage.settleChildren();
        assertThat(server.find(INDEX)).isEmpty();
    }

    /** Pods of an earlier release read one Secret: it stays, and they may read it, until none of them is left. */
    @Test
    void theSecretOfAnEarlierReleaseStaysWhileItsPodsDo() throws Exception {
        secret("one", pair("one"));
        listeners("one");
        String uid = server.find(GATEWAY).orElseThrow().at("/metadata/uid").asText();
        former(
                ",\"ownerReferences\":[{\"apiVersion\":\"gateway.networking.k8s.io/v1\",\"kind\":\"Gateway\",\"name\":\"edge\",\"uid\":\""
                        + uid + "\",\"controller\":true}]");
        InetAddress address = InetAddress.ofLiteral("127.77.0.9");
        HttpServer pod = HttpServer.create(new InetSocketAddress(address, 8081), 8);
        pod.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        pod.createContext("/state", this::state);
        pod.start();
        try {
            state = "{\"version\":\"1\",\"edge\":{\"certificates\":{\"shop.one.pem\":\"sha256:a\"}}}";
            stage.start();
            stage.pod("edge-1", address.getHostAddress());
            eventually("the parts are there", () -> server.find(INDEX).isPresent());
            eventually("it may be read", () -> readable().contains("edge-tls"));
            stage.settleChildren();
            assertThat(server.find(FORMER)).isPresent();
            assertThat(readable()).contains("edge-tls", "edge-certificates-index", "edge-certificates-15");
            state = "{\"version\":\"2\",\"edge\":{\"certificates\":\"\"}}";
            eventually("it goes", () -> server.find(FORMER).isEmpty());
            eventually("so does the right", () -> !readable().contains("edge-tls"));
        } finally {
            stage.stop();
            pod.stop(0);
        }
    }

    @Test
    void aSecretOfThatNameThatIsNotOursIsLeftAlone() throws Exception {
        secret("one", pair("one"));
        listeners("one");
        former("");
        stage.start();
        eventually("the parts are there", () -> server.find(INDEX).isPresent());
        eventually("the right is there", () -> !readable().isEmpty());
        stage.settleChildren();
        assertThat(server.find(FORMER)).isPresent();
        assertThat(readable()).doesNotContain("edge-tls");
        assertThat(stage.condition(GATEWAY, "/status/conditions", "Programmed").orElse(""))
                .doesNotContain("Conflicted");
    }

    private void former(String meta) {
        server.put(
                FORMER,
                "{\"metadata\":{\"name\":\"edge-tls\",\"namespace\":\"shop\",\"labels\":{\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\","
                        + "\"gateway.networking.k8s.io/gateway-name\":\"edge\",\"gateway.networking.k8s.io/gateway-namespace\":\"shop\"}"
                        + meta + "},\"type\":\"Opaque\"}");
    }

    private void state(HttpExchange exchange) throws IOException {
        String said = state;
        try (exchange) {
            String query =
                    Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
            long end = System.nanoTime() + 2_000_000_000L;
            while (said.contains("\"version\":\"" + query.replace("since=", "") + "\"") && System.nanoTime() < end) {
                Thread.sleep(20);
                said = state;
            }
            byte[] body = said.getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> readable() {
        return server.find(ROLE).stream()
                .flatMap(role -> role.path("rules").valueStream())
                .filter(rule -> rule.at("/resources/0").asText().equals("secrets"))
                .flatMap(rule -> rule.path("resourceNames").valueStream())
                .map(JsonNode::asText)
                .toList();
    }

    /** All files of all parts. */
    private Map<String, String> files() {
        var files = new TreeMap<String, String>();
        for (JsonNode secret : server.list(SECRETS)) {
            if (secret.at("/metadata/name").asText().startsWith("edge-certificates-")) {
                secret.path("data")
                        .properties()
                        .forEach(file -> files.put(
                                file.getKey(),
                                new String(
                                        Base64.getDecoder()
                                                .decode(file.getValue().asText()),
                                        UTF_8)));
            }
        }
        return files;
    }

    private static String body(TestCertificates.Pair pair) {
        return pair.certificate().lines().skip(1).findFirst().orElseThrow();
    }

    private void authority(TestCertificates.Pair pair) {
        server.put(
                CLIENTS,
                "{\"metadata\":{\"name\":\"clients\",\"namespace\":\"shop\"},\"data\":{\"ca.crt\":\""
                        + pair.certificate().replace("\n", "\\n") + "\"}}");
    }

    private TestCertificates.Pair pair(String name) throws Exception {
        return TestCertificates.of(folder, name, name + ".example.com");
    }

    private void listeners(String... names) {
        stage.listeners(List.of(names).stream()
                .map(name -> "{\"name\":\"" + name + "\",\"hostname\":\"" + name
                        + ".example.com\",\"port\":443,\"protocol\":\"HTTPS\",\"tls\":{\"certificateRefs\":[{\"name\":\""
                        + name
                        + "\"}]}}")
                .collect(Collectors.joining(",")));
    }

    private void secret(String name, TestCertificates.Pair pair) {
        server.put(
                SECRETS + "/" + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"namespace\":\"shop\"},\"type\":\"kubernetes.io/tls\",\"data\":{\"tls.crt\":\""
                        + base64(pair.certificate()) + "\",\"tls.key\":\"" + base64(pair.key()) + "\"}}");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
