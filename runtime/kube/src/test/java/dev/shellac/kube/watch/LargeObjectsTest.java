package dev.shellac.kube.watch;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.Api;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.testkit.kube.FakeApiServer;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tenants write may be as large as the server takes it; what is kept of it is not. */
final class LargeObjectsTest implements ClusterWatch.Handler {
    private static final String GROUP = "gateway.networking.k8s.io";
    private static final String ROUTES = "/apis/" + GROUP + "/v1/namespaces/tenant/httproutes/";
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int MANY = 300;

    private final FakeApiServer server = FakeApiServer.start();
    private final Api api = Api.at(server.url());
    private final Map<Name, Resource> objects = new ConcurrentHashMap<>();
    private final Map<Name, Integer> raw = new ConcurrentHashMap<>();
    private final Map<ResourceId, String> unreadable = new ConcurrentHashMap<>();

    LargeObjectsTest() throws Exception {}

    @BeforeEach
    void define() {
        define("HTTPRoute", "httproutes");
        define("ListenerSet", "listenersets");
    }

    private void define(String kind, String plural) {
        server.define(GROUP + "/v1", kind, plural);
        String name = plural + "." + GROUP;
        server.put(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + name,
                "{\"metadata\":{\"name\":\"" + name + "\"}}");
    }

    @AfterEach
    void end() {
        api.close();
        server.close();
    }

    @Override
    public void raw(Resource resource, byte[] json) {
        if (resource.meta().decodeError().isEmpty()) {
            raw.put(resource.meta().name(), json.length);
        }
    }

    @Override
    public void there(Resource resource) {
        objects.put(resource.meta().name(), resource);
    }

    @Override
    public void gone(Class<? extends Resource> kind, Name name) {
        objects.remove(name);
    }

    @Override
    public void unreadable(ClusterWatch.Unreadable object) {
        unreadable.put(object.id(), object.why());
    }

    @Override
    public void defined(Definitions definitions) {}

    @Override
    public void read() {}

    private Collection<HttpRoute> routes() {
        return objects.values().stream()
                .filter(HttpRoute.class::isInstance)
                .map(HttpRoute.class::cast)
                .collect(Collectors.toSet());
    }

    private long kept() {
        return routes().stream().mapToLong(route -> route.toString().length()).sum();
    }

    private void route(String name, String meta, String rules) {
        server.put(
                ROUTES + name,
                "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"tenant\"" + meta
                        + "},\"spec\":{\"parentRefs\":[{\"name\":\"edge\",\"namespace\":\"shop\"}],\"rules\":[" + rules
                        + "]}}");
    }

    private static String rules(int count, int value) {
        String match = "{\"headers\":[{\"name\":\"a\",\"value\":\"" + "v".repeat(value) + "\"}]}";
        String matches = IntStream.range(0, 8).mapToObj(i -> match).collect(Collectors.joining(","));
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"matches\":[" + matches + "]}")
                .collect(Collectors.joining(","));
    }

    private static String labels() {
        return ",\"labels\":{"
                + IntStream.range(0, 2_000)
                        .mapToObj(i -> "\"" + "k".repeat(60) + i + "\":\"" + "v".repeat(60) + "\"")
                        .collect(Collectors.joining(","))
                + "}";
    }

    @Test
    void annotationsOfOthersAreNotKept() throws Exception {
        String text = "a".repeat(255 * 1024);
        for (int i = 0; i < MANY; i++) {
            route("r" + i, ",\"annotations\":{\"x/y\":\"" + i + text + "\",\"read\":\"yes\"}", "{}");
        }
        try (ClusterWatch clusterWatch = ClusterWatch.start(
                api.requests(),
                this,
                new ClusterWatch.Reading(Set.of("read"), NamespaceShares.ofHeap(Long.MAX_VALUE)))) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(routes()).hasSize(MANY).allSatisfy(route -> {
                assertThat(route.meta().decodeError()).isEmpty();
                assertThat(route.meta().annotations()).containsExactly(Map.entry("read", "yes"));
            });
            assertThat(kept()).isLessThan(MANY * 2_000);
            assertThat(raw.values()).allSatisfy(length -> assertThat(length).isLessThan(1_000));
        }
    }

    @Test
    void ofARouteThatIsTooLargeTheOutlineIsKept() throws Exception {
        for (int i = 0; i < MANY; i++) {
            route("r" + i, i % 2 == 0 ? "" : labels(), i % 2 == 0 ? rules(16, 2_000) : "{}");
        }
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), this)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(routes()).hasSize(MANY).allSatisfy(route -> {
                assertThat(route.meta().decodeError().orElseThrow())
                        .matches("it has [0-9]{6} bytes without its status and its annotations, and at most 131072 are"
                                + " taken: split it, or make it smaller");
                assertThat(route.parents()).hasSize(1);
                assertThat(route.rules()).isEmpty();
            });
            assertThat(kept()).isLessThan(MANY * 2_000);
            assertThat(raw).isEmpty();
        }
    }

    @Test
    void aRouteWithAllItsMatchesIsTakenWhateverItsStatusHolds() throws Exception {
        route("r", "", rules(16, 950));
        String status = "{\"parents\":[{\"controllerName\":\"example.com/other\",\"parentRef\":{\"name\":\"edge\"},"
                + "\"conditions\":[{\"type\":\"Accepted\",\"status\":\"True\",\"reason\":\"Accepted\",\"message\":\""
                + "m".repeat(30_000) + "\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}]}";
        server.putStatus(ROUTES + "r", status);
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), this)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            HttpRoute taken = routes().iterator().next();
            assertThat(taken.meta().decodeError()).isEmpty();
            assertThat(taken.rules()).hasSize(16);
            assertThat(raw.get(taken.meta().name())).isGreaterThan(KindWatch.MOST_BYTES);
            route("r", "", rules(16, 2_000));
            eventually(
                    "it is too large",
                    () -> routes().stream()
                            .anyMatch(route -> route.meta().decodeError().isPresent()));
            route("r", "", rules(16, 10));
            eventually(
                    "it is taken",
                    () -> routes().stream()
                            .allMatch(route -> route.meta().decodeError().isEmpty()));
        }
    }

    @Test
    void objectsOfOtherKindsThatAreTooLargeAreToldToBe() throws Exception {
        server.put(
                "/apis/" + GROUP + "/v1/namespaces/tenant/listenersets/s",
                "{\"metadata\":{\"name\":\"s\",\"namespace\":\"tenant\"" + labels() + "},\"spec\":{}}");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), this)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            eventually("somebody says so", () -> !unreadable.isEmpty());
            assertThat(unreadable.values()).allMatch(why -> why.startsWith("it has "));
            assertThat(objects).doesNotContainKey(new Name("tenant", "s"));
        }
    }
}
