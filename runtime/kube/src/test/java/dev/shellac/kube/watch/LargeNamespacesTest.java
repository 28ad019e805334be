package dev.shellac.kube.watch;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.Api;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.core.Service;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.testkit.kube.FakeApiServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A namespace may have as many objects as its server takes; what is kept of them is its share. */
final class LargeNamespacesTest implements ClusterWatch.Handler {
    private static final String GROUP = "gateway.networking.k8s.io";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final long SHARE = 4 << 20;
    /** As many as fit the share. */
    private static final int FITTING = 31;

    private final FakeApiServer server = FakeApiServer.start();
    private final Api api = Api.at(server.url());
    private final Map<Name, Resource> routes = new ConcurrentHashMap<>();
    private final Map<Name, Resource> services = new ConcurrentHashMap<>();
    private final Map<Name, String> unreadable = new ConcurrentHashMap<>();

    LargeNamespacesTest() throws Exception {}

    @BeforeEach
    void define() {
        server.define(GROUP + "/v1", "HTTPRoute", "httproutes");
        server.put(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/httproutes." + GROUP,
                "{\"metadata\":{\"name\":\"httproutes." + GROUP + "\"}}");
    }

    @AfterEach
    void end() {
        api.close();
        server.close();
    }

    @Override
    public void there(Resource resource) {
        (resource instanceof HttpRoute ? routes : services).put(resource.meta().name(), resource);
    }

    @Override
    public void gone(Class<? extends Resource> kind, Name name) {
        (kind.equals(HttpRoute.class) ? routes : services).remove(name);
    }

    @Override
    public void unreadable(ClusterWatch.Unreadable object) {
        unreadable.put(object.id().name(), object.why());
    }

    @Override
    public void defined(Definitions definitions) {}

    @Override
    public void read() {}

    private ClusterWatch start(long share) {
        return ClusterWatch.start(
                api.requests(), this, new ClusterWatch.Reading(Set.of(), NamespaceShares.ofHeap(9 * share)));
    }

    private static String path(String namespace, String name) {
        return "/apis/" + GROUP + "/v1/namespaces/" + namespace + "/httproutes/" + name;
    }

    /** A route with 128 matches, each with a value of this length. */
    private void route(String namespace, String name, int value, int age) {
        String match = "{\"headers\":[{\"name\":\"a\",\"value\":\"" + "v".repeat(value) + "\"}]}";
        String rule = "{\"matches\":["
                + IntStream.range(0, value == 0 ? 0 : 8).mapToObj(i -> match).collect(Collectors.joining(",")) + "]}";
        server.put(
                path(namespace, name),
                "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"" + namespace + "\",\"creationTimestamp\":\""
                        + Instant.ofEpochSecond(1_800_000_000L - age)
                        + "\"},\"spec\":{\"parentRefs\":[{\"name\":\"edge\",\"namespace\":\"shop\"}],\"rules\":["
                        + IntStream.range(0, value == 0 ? 1 : 16)
                                .mapToObj(i -> value == 0 ? "{}" : rule)
                                .collect(Collectors.joining(","))
                        + "]}}");
    }

    private Set<String> names(Predicate<Resource> which) {
        return routes.values().stream()
                .filter(which)
                .map(route -> route.meta().name())
                .filter(name -> name.namespace().equals("tenant"))
                .map(Name::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<String> why(String namespace, String name) {
        return Optional.ofNullable(routes.get(new Name(namespace, name)))
                .flatMap(route -> route.meta().decodeError());
    }

    private Set<String> taken() {
        return names(route -> route.meta().decodeError().isEmpty());
    }

    private Set<String> refused() {
        return names(route -> route.meta().decodeError().isPresent());
    }

    private static Set<String> numbered(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(LargeNamespacesTest::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String name(int number) {
        return String.format("r%03d", number);
    }

    @Test
    void aNamespaceIsRefusedBeyondItsShareAndNobodyElseIs() throws Exception {
        for (int i = 0; i < 250; i++) {
            route("tenant", name(i), 900, 0);
        }
        route("honest", "r", 900, 0);
        try (ClusterWatch clusterWatch = start(SHARE)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(taken()).isEqualTo(numbered(0, FITTING));
            assertThat(refused()).isEqualTo(numbered(FITTING, 250));
            assertThat(why("tenant", name(249)))
                    .hasValueSatisfying(
                            why -> assertThat(why)
                                    .matches(
                                            "namespace tenant has no room for it in the operator's memory: its routes, policies, invalidations and grants"
                                                    + " counted 4[01][0-9]{5} of at most 4194304 when this version was refused, and it counts 13[0-9]{4} more .*"));
            assertThat(routes).containsKey(new Name("honest", "r"));
            assertThat(why("honest", "r")).isEmpty();
            route("other", "r", 900, 0);
            eventually("another is taken", () -> routes.containsKey(new Name("other", "r")));
            assertThat(why("other", "r")).isEmpty();
        }
    }

    @Test
    void roomThatBecomesFreeIsForTheOldestThatWait() throws Exception {
        for (int i = 0; i < 50; i++) {
            route("tenant", name(i), 900, i < 45 ? 100 - i : 1);
        }
        try (ClusterWatch clusterWatch = start(SHARE)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(taken()).isEqualTo(numbered(0, FITTING));
            server.remove(path("tenant", name(3)));
            server.remove(path("tenant", name(4)));
            route("tenant", name(5), 10, 95);
            Set<String> next = numbered(0, FITTING + 3);
            next.removeAll(Set.of(name(3), name(4)));
            eventually("the next three are taken", () -> taken().equals(next));
            assertThat(refused()).isEqualTo(numbered(FITTING + 3, 50));
            long lists = server.reads().stream()
                    .filter(read -> read.contains("/httproutes?limit"))
                    .count();
            assertThat(lists).as("nothing is listed again").isEqualTo(1);
        }
    }

    @Test
    void anUpdateThatDoesNotFitIsRefusedAlone() throws Exception {
        for (int i = 0; i < FITTING; i++) {
            route("tenant", name(i), 900, 0);
        }
        try (ClusterWatch clusterWatch = start(SHARE)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(taken()).hasSize(FITTING);
            for (int i = 0; i < 20; i++) {
                route("tenant", name(i), 960, 0);
            }
            eventually("some do not fit", () -> !refused().isEmpty());
            assertThat(taken()).hasSizeGreaterThan(FITTING - 20);
            Set<String> waiting = refused();
            route("tenant", waiting.iterator().next(), 900, 0);
            server.remove(path("tenant", name(20)));
            eventually(
                    "all fit", () -> taken().size() == FITTING - 1 && refused().isEmpty());
        }
    }

    @Test
    void anUpdateThatIsRefusedCountsAsTheVersionThatStays() throws Exception {
        for (int i = 0; i < FITTING; i++) {
            route("tenant", name(i), 900, 0);
        }
        try (ClusterWatch clusterWatch = start(SHARE)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            // What is served stays in memory, however small the version is that cannot be read.
            for (int i = 0; i < FITTING; i++) {
                server.put(
                        path("tenant", name(i)),
                        "{\"spec\":{\"rules\":[{\"matches\":[{\"path\":{\"type\":\"New\"}}]}]}}");
            }
            eventually("none can be read", () -> refused().size() == FITTING);
            route("tenant", "more", 900, 0);
            eventually("it has no room", () -> refused().contains("more"));
            server.remove(path("tenant", name(7)));
            eventually("it has", () -> taken().equals(Set.of("more")));
        }
    }

    @Test
    void afterAStartTheOldestAreTaken() throws Exception {
        for (int i = 0; i < 60; i++) {
            route("tenant", name(i), 900, i);
        }
        Set<String> oldest = numbered(60 - FITTING, 60);
        for (int start = 0; start < 2; start++) {
            routes.clear();
            try (ClusterWatch clusterWatch = start(SHARE)) {
                assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
                assertThat(taken()).isEqualTo(oldest);
                assertThat(refused()).isEqualTo(numbered(0, 60 - FITTING));
            }
        }
    }

    @Test
    void outlinesHaveAShareToo() throws Exception {
        for (int i = 0; i < 900; i++) {
            route("tenant", name(i), 0, 0);
        }
        try (ClusterWatch clusterWatch = start(256 << 10)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(taken()).isEqualTo(numbered(0, taken().size())).hasSizeBetween(120, 256);
            int fitting = taken().size();
            int outlines = refused().size();
            assertThat(outlines).isBetween(20, 64);
            for (int i = 0; i < 100; i++) {
                server.remove(path("tenant", name(i)));
            }
            eventually("the next are taken", () -> taken().equals(numbered(100, fitting + 100)));
            eventually("others are in their place", () -> refused().size() >= outlines - 2);
        }
    }

    @Test
    void anOutlineBesideTheVersionThatStaysCountsToo() throws Exception {
        long share = 256 << 10;
        for (int i = 0; i < 256; i++) {
            route("tenant", name(i), 0, 0);
        }
        String parents = IntStream.range(0, 32)
                .mapToObj(i -> "{\"name\":\"" + "n".repeat(250) + "\",\"namespace\":\"tenant\",\"sectionName\":\"s" + i
                        + "\"}")
                .collect(Collectors.joining(","));
        try (ClusterWatch clusterWatch = start(share)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(taken()).hasSizeGreaterThan(100);
            Set<String> before = taken();
            for (String name : before) {
                server.put(path("tenant", name), "{\"spec\":{\"parentRefs\":[" + parents + "],\"rules\":[{}]}}");
            }
            route("other", "last", 0, 0);
            eventually("some are refused", () -> !refused().isEmpty() && routes.containsKey(new Name("other", "last")));
            long outlines = routes.values().stream()
                    .filter(route -> route.meta().decodeError().isPresent())
                    .mapToLong(route -> route.toString().length())
                    .sum();
            assertThat(outlines).isLessThanOrEqualTo(share / 8);
            assertThat(names(route -> true)).as("the version before stays").containsAll(before);
            Set<String> reported = refused();
            reported.forEach(name -> server.remove(path("tenant", name)));
            eventually(
                    "others report that they are refused",
                    () -> !refused().isEmpty() && !reported.containsAll(refused()));
        }
    }

    @Test
    void routesTakeNoRoomOfServices() throws Exception {
        String ports = IntStream.range(0, 900)
                .mapToObj(i -> "{\"name\":\"p" + i + "\",\"port\":" + (i + 1) + "}")
                .collect(Collectors.joining(","));
        for (int i = 0; i < 100; i++) {
            route("tenant", name(i), 900, 0);
            server.put(
                    "/api/v1/namespaces/tenant/services/" + name(i),
                    "{\"metadata\":{\"name\":\"" + name(i) + "\",\"namespace\":\"tenant\"},\"spec\":{\"ports\":["
                            + ports + "]}}");
        }
        try (ClusterWatch clusterWatch = start(SHARE)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            int fitting = services.size();
            assertThat(fitting).isBetween(10, 25);
            assertThat(taken()).isEqualTo(numbered(0, FITTING));
            assertThat(unreadable).hasSize(100 - fitting);
            assertThat(unreadable.values())
                    .allMatch(why -> why.contains("its Gateways, ListenerSets and Services counted"));
            for (int i = 0; i < 100 - fitting; i++) {
                server.remove("/api/v1/namespaces/tenant/services/" + name(i));
            }
            eventually(
                    "all have room",
                    () -> services.size() == fitting && services.containsKey(new Name("tenant", name(99))));
            assertThat(services.values()).allMatch(Service.class::isInstance);
        }
    }

    @Test
    void aListThatFailsHalfWayBeginsAnew() throws Exception {
        for (int i = 0; i < 60; i++) {
            route("tenant", name(i), 900, i);
        }
        var lists = new AtomicInteger();
        Requests real = api.requests();
        // The second one brings the oldest in, in place of those that came first.
        var failing = (Requests) Proxy.newProxyInstance(
                Requests.class.getClassLoader(), new Class<?>[] {Requests.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("open")
                            && String.valueOf(arguments[0]).contains("/httproutes?limit")
                            && lists.incrementAndGet() == 2) {
                        throw new IOException("the server ends");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (ClusterWatch clusterWatch = ClusterWatch.start(
                failing, this, new ClusterWatch.Reading(Set.of(), NamespaceShares.ofHeap(9 * SHARE)))) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(taken()).isEqualTo(numbered(60 - FITTING, 60));
            assertThat(lists).hasValueGreaterThan(2);
        }
    }

    @Test
    void theArithmeticIsInBytesOfJsonAndTexts() {
        String json = "{\"a\":\"" + "b".repeat(2_000) + "\"}";
        assertThat(NamespaceShares.weight(json.getBytes(UTF_8))).isEqualTo(json.length() + 2 * 16);
        assertThat(NamespaceShares.weight("{}".getBytes(UTF_8))).isEqualTo(1_024);
        assertThat(NamespaceShares.weight(json.getBytes(UTF_8), 0, json.length()))
                .isEqualTo(1_024);
        assertThat(Optional.of(192L << 20).map(heap -> heap / 9).orElseThrow())
                .as("10,000 routes of 900 bytes, each with 79 texts")
                .isGreaterThan(10_000 * (900 + 79 * 16));
    }
}
