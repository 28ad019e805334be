package dev.shellac.kube.watch;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.Api;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.testkit.kube.FakeApiServer;
import dev.shellac.threads.Supervisor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ClusterWatchTest {
    private static final String GROUP = "gateway.networking.k8s.io";
    private static final String ROUTES = "/apis/" + GROUP + "/v1/namespaces/shop/httproutes/";
    private static final Duration SOON = Duration.ofSeconds(10);

    private final FakeApiServer server = FakeApiServer.start();
    private final Api api = Api.at(server.url());
    private final Collected collected = new Collected();

    ClusterWatchTest() throws Exception {}

    @AfterEach
    void end() {
        api.close();
        server.close();
    }

    private static final class Collected implements ClusterWatch.Handler {
        private final AtomicReference<Snapshot> snapshot = new AtomicReference<>(Snapshot.empty());
        private final Set<String> gone = ConcurrentHashMap.newKeySet();
        private final AtomicInteger mistakes = new AtomicInteger();
        private final Set<ClusterWatch.Unreadable> unreadable = ConcurrentHashMap.newKeySet();
        private volatile Definitions definitions = Definitions.NONE;

        @Override
        public void there(Resource resource) {
            if (resource instanceof HttpRoute && mistakes.getAndDecrement() > 0) {
                throw new IllegalStateException("a fault of ours, in a test");
            }
            snapshot.updateAndGet(now -> now.with(resource));
        }

        @Override
        public void gone(Class<? extends Resource> kind, Name name) {
            snapshot.updateAndGet(now -> now.without(kind, name));
            gone.add(name.toString());
        }

        @Override
        public void unreadable(ClusterWatch.Unreadable object) {
            unreadable.add(object);
        }

        @Override
        public void defined(Definitions next) {
            definitions = next;
        }

        @Override
        public void read() {}

        Set<String> unread(Class<? extends Resource> kind) {
            return snapshot.get().all(kind).stream()
                    .flatMap(found -> found.meta().decodeError().stream())
                    .collect(Collectors.toSet());
        }

        Set<String> names(Class<? extends Resource> kind) {
            return snapshot.get().all(kind).stream()
                    .map(found -> found.meta().name().toString())
                    .collect(Collectors.toSet());
        }
    }

    private void define(String version, String kind, String plural) {
        server.define(GROUP + "/" + version, kind, plural);
        server.put(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + plural + "." + GROUP,
                "{\"metadata\":{\"name\":\"" + plural + "." + GROUP + "\",\"annotations\":{\"" + GROUP
                        + "/bundle-version\":\"v1.5.1\",\"" + GROUP + "/channel\":\"standard\"}}}");
    }

    private void route(String name) {
        server.put(
                ROUTES + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"namespace\":\"shop\",\"managedFields\":[{\"manager\":\"x\"}],\"annotations\":{\"a\":\"b\","
                        + "\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"}},\"spec\":{\"parentRefs\":[{\"name\":\"g\"}]}}");
    }

    @Test
    void everyKindIsListedAndThenWatched() throws Exception {
        define("v1", "HTTPRoute", "httproutes");
        route("a");
        server.put("/api/v1/namespaces/shop", "{\"metadata\":{\"name\":\"shop\",\"labels\":{\"team\":\"a\"}}}");
        server.put(
                "/api/v1/namespaces/shop/services/s",
                "{\"metadata\":{\"name\":\"s\",\"namespace\":\"shop\"},\"spec\":{\"ports\":[{\"port\":80}]}}");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.names(HttpRoute.class)).containsExactly("shop/a");
            assertThat(collected.names(Namespace.class)).containsExactly("shop");
            assertThat(collected.names(Service.class)).containsExactly("shop/s");
            HttpRoute route = collected.snapshot.get().all(HttpRoute.class).getFirst();
            assertThat(route.meta().annotations()).isEmpty();
            route("b");
            eventually("b comes", () -> collected.names(HttpRoute.class).contains("shop/b"));
            server.remove(ROUTES + "a");
            eventually("a goes", () -> collected.names(HttpRoute.class).equals(Set.of("shop/b")));
        }
    }

    @Test
    void aKindIsWatchedWhenItsDefinitionAppears() throws Exception {
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.definitions.find(GroupKind.HTTP_ROUTE)).isEmpty();
            route("a");
            define("v1", "HTTPRoute", "httproutes");
            eventually(
                    "its objects come", () -> collected.names(HttpRoute.class).equals(Set.of("shop/a")));
            assertThat(collected.definitions.bundles()).containsExactly("v1.5.1");
            assertThat(collected.definitions.channels()).containsExactly("standard");
        }
    }

    @Test
    void aKindThatGoesAndComesBackHasItsObjects() throws Exception {
        define("v1", "HTTPRoute", "httproutes");
        route("a");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            for (int i = 0; i < 3; i++) {
                server.undefine(GROUP + "/v1", "HTTPRoute");
                server.remove("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/httproutes." + GROUP);
                eventually(
                        "its objects are gone",
                        () -> collected.names(HttpRoute.class).isEmpty());
                define("v1", "HTTPRoute", "httproutes");
                eventually(
                        "they are there again",
                        () -> collected.names(HttpRoute.class).equals(Set.of("shop/a")));
            }
        }
    }

    private void grant(String version, String name) {
        server.put(
                "/apis/" + GROUP + "/" + version + "/namespaces/shop/referencegrants/" + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"namespace\":\"shop\"},\"spec\":{\"from\":[{\"group\":\"" + GROUP
                        + "\",\"kind\":\"HTTPRoute\",\"namespace\":\"a\"}],\"to\":[{\"group\":\"\",\"kind\":\"Service\"}]}}");
    }

    @Test
    void aNewerVersionTakesOverAndNothingThatStaysIsGoneInBetween() throws Exception {
        define("v1beta1", "ReferenceGrant", "referencegrants");
        grant("v1beta1", "stays");
        grant("v1beta1", "goes");
        grant("v1", "stays");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            define("v1", "ReferenceGrant", "referencegrants");
            server.put(
                    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/referencegrants." + GROUP,
                    "{\"metadata\":{\"annotations\":{\"" + GROUP + "/bundle-version\":\"v1.6.0\"}}}");
            eventually(
                    "what is there in the newer version is all that stays",
                    () -> collected.names(ReferenceGrant.class).equals(Set.of("shop/stays")));
            grant("v1", "comes");
            eventually(
                    "it is watched in that version",
                    () -> collected.names(ReferenceGrant.class).equals(Set.of("shop/stays", "shop/comes")));
            assertThat(collected.gone).containsExactly("shop/goes");
        }
    }

    @Test
    void theVersionThatIsServedIsTaken() throws Exception {
        define("v1beta1", "ReferenceGrant", "referencegrants");
        grant("v1beta1", "g");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.names(ReferenceGrant.class)).containsExactly("shop/g");
        }
    }

    @Test
    void anObjectThatTheDecoderRefusesIsThereInOutline() throws Exception {
        define("v1", "HTTPRoute", "httproutes");
        route("good");
        server.put(
                ROUTES + "bad",
                "{\"metadata\":{\"name\":\"bad\",\"namespace\":\"shop\"},\"spec\":{\"rules\":[{\"matches\":[{\"path\":{\"type\":\"Strange\"}}]}]}}");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.names(HttpRoute.class)).containsExactlyInAnyOrder("shop/good", "shop/bad");
            assertThat(collected.unread(HttpRoute.class))
                    .containsExactly("spec.rules[0].matches[0].path.type: 'Strange' is none of Exact, PathPrefix,"
                            + " RegularExpression");
        }
    }

    @Test
    void whatHasNoOutlineIsUnreadableAlone() throws Exception {
        define("v1beta1", "ReferenceGrant", "referencegrants");
        grant("v1beta1", "g");
        server.put(
                "/apis/" + GROUP + "/v1beta1/namespaces/shop/referencegrants/bad",
                "{\"metadata\":{\"name\":\"bad\",\"namespace\":\"shop\",\"uid\":\"u1\"},\"spec\":{\"from\":7}}");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.names(ReferenceGrant.class)).containsExactly("shop/g");
            assertThat(collected.unreadable)
                    .containsExactly(new ClusterWatch.Unreadable(
                            ReferenceGrant.class,
                            ResourceId.of(GroupKind.REFERENCE_GRANT, "shop", "bad"),
                            GROUP + "/v1beta1",
                            "u1",
                            "spec.from: must be a list, not a number"));
            assertThat(collected.gone).isEmpty();
        }
    }

    @Test
    void aWatchThatEndsIsResumedAndNothingIsLost() throws Exception {
        define("v1", "HTTPRoute", "httproutes");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            server.dropWatches();
            route("a");
            eventually(
                    "what came meanwhile is seen",
                    () -> collected.names(HttpRoute.class).equals(Set.of("shop/a")));
            assertThat(server.reads().stream().filter(path -> path.contains("httproutes?limit")))
                    .hasSize(1);
        }
    }

    private static ResourceId map(String name) {
        return ResourceId.of(GroupKind.CONFIG_MAP, "shop", name);
    }

    private static ResourceId pair(String name) {
        return ResourceId.of(GroupKind.SECRET, "shop", name);
    }

    @Test
    void onlyNamedConfigMapsAreRead() throws Exception {
        configMap("vcl");
        configMap("other");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.names(ConfigMap.class)).isEmpty();
            clusterWatch.read(Set.of(map("vcl"), map("nowhere")));
            eventually("both are known", () -> clusterWatch.isRead(map("vcl")) && clusterWatch.isRead(map("nowhere")));
            assertThat(collected.names(ConfigMap.class)).containsExactly("shop/vcl");
            clusterWatch.read(Set.of());
            eventually("it is forgotten", () -> collected.names(ConfigMap.class).isEmpty());
        }
    }

    @Test
    void manyNamedConfigMapsAreNeverAllThatThereAre() throws Exception {
        Set<ResourceId> many =
                IntStream.range(0, 40).mapToObj(i -> map("ca-" + i)).collect(Collectors.toSet());
        many.forEach(id -> configMap(id.name().name()));
        configMap("other");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            clusterWatch.read(many);
            eventually("all are read", () -> many.stream().allMatch(clusterWatch::isRead));
            assertThat(collected.names(ConfigMap.class)).hasSize(40).doesNotContain("shop/other");
            assertThat(server.reads()).noneMatch(path -> path.startsWith("/api/v1/configmaps"));
        }
    }

    @Test
    void ofKeyPairsThatNobodyNamesThereAreNoKeys() throws Exception {
        secret("pair", "kubernetes.io/tls");
        secret("others", "kubernetes.io/tls");
        secret("password", "Opaque");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(collected.names(SecretObject.class)).isEmpty();
            clusterWatch.read(Set.of(pair("pair"), pair("password"), pair("nowhere")));
            eventually(
                    "all three are known",
                    () -> clusterWatch.isRead(pair("pair"))
                            && clusterWatch.isRead(pair("password"))
                            && clusterWatch.isRead(pair("nowhere")));
            assertThat(collected.names(SecretObject.class)).containsExactly("shop/pair");
            assertThat(server.gets().stream().filter(path -> path.contains("/secrets/")))
                    .containsExactly("/api/v1/namespaces/shop/secrets/pair");
            assertThat(server.reads().stream().filter(path -> path.contains("/secrets")))
                    .allMatch(path -> path.startsWith("/api/v1/secrets?fieldSelector=type%3Dkubernetes.io%2Ftls"));
        }
    }

    @Test
    void aKeyPairThatIsNamedIsReadAgainWhenItChanges() throws Exception {
        secret("pair", "kubernetes.io/tls");
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            clusterWatch.read(Set.of(pair("pair")));
            eventually("it is read", () -> collected.names(SecretObject.class).contains("shop/pair"));
            server.put("/api/v1/namespaces/shop/secrets/pair", "{\"data\":{\"tls.crt\":\"eA==\"}}");
            eventually(
                    "its new content is",
                    () -> collected.snapshot.get().all(SecretObject.class).stream()
                            .anyMatch(secret -> !secret.values().isEmpty()));
            server.remove("/api/v1/namespaces/shop/secrets/pair");
            eventually("it is gone", () -> collected.names(SecretObject.class).isEmpty());
            secret("pair", "kubernetes.io/tls");
            eventually("it is back", () -> collected.names(SecretObject.class).contains("shop/pair"));
            clusterWatch.read(Set.of());
            eventually(
                    "it is forgotten", () -> collected.names(SecretObject.class).isEmpty());
        }
    }

    private void secret(String name, String type) {
        server.put(
                "/api/v1/namespaces/shop/secrets/" + name,
                "{\"type\":\"" + type + "\",\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"shop\"}}");
    }

    private void configMap(String name) {
        server.put(
                "/api/v1/namespaces/shop/configmaps/" + name,
                "{\"data\":{\"a\":\"b\"},\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"shop\"}}");
    }

    @Test
    void aMistakeOfOursIsCountedAndAllIsListedAgain() throws Exception {
        define("v1", "HTTPRoute", "httproutes");
        route("a");
        long before = Supervisor.PROCESS.ends();
        collected.mistakes.set(2);
        try (ClusterWatch clusterWatch = ClusterWatch.start(api.requests(), collected)) {
            eventually("it is there", () -> collected.names(HttpRoute.class).contains("shop/a"));
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
        }
        assertThat(Supervisor.PROCESS.ends() - before).isGreaterThanOrEqualTo(2);
    }
}
