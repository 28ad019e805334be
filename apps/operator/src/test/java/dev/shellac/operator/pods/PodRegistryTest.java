package dev.shellac.operator.pods;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.kube.api.ApiServer;
import dev.shellac.testkit.kube.FakeApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which pods are asked for their state, how often, and what of an answer counts. */
final class PodRegistryTest {
    private static final PodRegistry.Key GATEWAY = new PodRegistry.Key("shop", "edge");
    private static final String LABELS = "\"labels\":{\"app.kubernetes.io/managed-by\":\"varnish-gateway-operator\","
            + "\"gateway.networking.k8s.io/gateway-name\":\"edge\"}";

    private final FakeApiServer server = FakeApiServer.start();
    private final KubernetesClient client = new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.empty())
                    .withMasterUrl(server.url())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    private final HttpServer pod = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Set<PodRegistry.Key> news = ConcurrentHashMap.newKeySet();
    private final Map<PodRegistry.Key, String> uids = new ConcurrentHashMap<>(Map.of(GATEWAY, "g"));
    private volatile String version = "1";
    private volatile int padding;
    private final PodRegistry podRegistry;

    PodRegistryTest() throws IOException {
        pod.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        pod.createContext("/state", this::state);
        pod.start();
        podRegistry = PodRegistry.start(
                ApiServer.of(client),
                new PodRegistry.Gateways() {
                    @Override
                    public String token(PodRegistry.Key gateway) {
                        return "token";
                    }

                    @Override
                    public Optional<String> uid(PodRegistry.Key gateway) {
                        return Optional.ofNullable(uids.get(gateway));
                    }
                },
                news::add,
                pod.getAddress().getPort());
    }

    @AfterEach
    void end() {
        podRegistry.close();
        client.close();
        pod.stop(0);
        server.close();
    }

    // Answers at once, whatever it is asked: with the same version, or each time with another.
    private void state(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.add(exchange.getRequestURI().toString());
            String said = version.isEmpty() ? "v " + asked.size() : version;
            byte[] body = ("{\"version\":\"" + said + "\",\"ready\":true,\"padding\":\"" + "x".repeat(padding) + "\"}")
                    .getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void put(String path, String name, String uid, String owner) {
        String owners = owner.isEmpty()
                ? ""
                : ",\"ownerReferences\":[{\"kind\":\"any\",\"name\":\"any\",\"controller\":true,\"uid\":\"" + owner
                        + "\"}]";
        server.put(
                path + name,
                "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\""
                        + path.split("/namespaces/", 2)[1].split("/", 2)[0] + "\",\"uid\":\"" + uid + "\"," + LABELS
                        + owners + "},\"status\":{\"podIP\":\"127.0.0.1\"}}");
    }

    private void pod(String namespace, String name, String owner) {
        put("/api/v1/namespaces/" + namespace + "/pods/", name, name, owner);
    }

    private void owners() {
        put("/apis/apps/v1/namespaces/shop/deployments/", "edge", "d", "g");
        put("/apis/apps/v1/namespaces/shop/replicasets/", "edge-1", "r", "d");
    }

    private List<String> pods() {
        return podRegistry.of(GATEWAY).pods().stream().map(Pod::uid).toList();
    }

    @Test
    void podsOfOurDeploymentsAreAskedAndNobodyElses() throws Exception {
        pod("shop", "one", "r");
        pod("shop", "labelled", "");
        pod("shop", "of-another-set", "x");
        pod("other", "of-another-namespace", "r");
        owners();
        put("/apis/apps/v1/namespaces/shop/replicasets/", "somebodys", "x", "somebodys-deployment");
        eventually("its state is known", () -> podRegistry.of(GATEWAY).states().containsKey("one"));
        assertThat(pods()).containsExactly("one");
        assertThat(podRegistry.of(new PodRegistry.Key("other", "edge")).pods()).isEmpty();

        uids.put(GATEWAY, "another Gateway of the same name");
        podRegistry.recheck("shop");
        assertThat(pods()).isEmpty();
        assertThat(podRegistry.of(GATEWAY).states()).isEmpty();
    }

    @Test
    void servicesOfTheGatewayCountAndNobodyElses() throws Exception {
        service("one", "g");
        service("labelled", "");
        service("of-somebody", "x");
        eventually("it is known", () -> !services().isEmpty());
        Thread.sleep(300);
        assertThat(services()).containsExactly("one");

        uids.put(GATEWAY, "another Gateway of the same name");
        assertThat(services()).isEmpty();
        uids.put(GATEWAY, "x");
        news.clear();
        podRegistry.recheck("shop");
        assertThat(news).contains(GATEWAY);
        assertThat(services()).containsExactly("of-somebody");
    }

    private void service(String name, String owner) {
        put("/api/v1/namespaces/shop/services/", name, name, owner);
    }

    private List<String> services() {
        return podRegistry.of(GATEWAY).services().stream()
                .map(service -> service.name().name())
                .toList();
    }

    @Test
    void aPodThatAlwaysHasNewsIsNotAskedWithoutAPause() throws Exception {
        version = "";
        owners();
        pod("shop", "one", "r");
        eventually("the burst is over", () -> asked.size() > StatePoll.BURST);
        int before = asked.size();
        long start = System.nanoTime();
        eventually("it is asked on", () -> asked.size() >= before + 5);
        assertThat(System.nanoTime() - start).isGreaterThan(3 * StatePoll.PACE.toNanos());
    }

    @Test
    void anAnswerOfMoreThanAMebibyteIsNone() throws Exception {
        padding = StatePoll.MOST_BYTES;
        owners();
        pod("shop", "one", "r");
        eventually(
                "it counts as one that does not answer",
                () -> podRegistry.of(GATEWAY).silent().contains("one"));
        assertThat(podRegistry.of(GATEWAY).states()).isEmpty();
        padding = 0;
        eventually("then it is heard", () -> podRegistry.of(GATEWAY).states().containsKey("one"));
        assertThat(podRegistry.of(GATEWAY).silent()).isEmpty();
    }
}
