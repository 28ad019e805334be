package dev.shellac.chaperone.kube;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.FakeApi;
import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.EndpointSlice.Readiness;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a pod knows of the API, whatever the API does. */
final class PodWatchesTest {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/edge/configmaps";
    private static final String SHOP = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";
    private static final String BLOG = "/apis/discovery.k8s.io/v1/namespaces/blog/endpointslices";

    private static final Name A = new Name("shop", "a");
    private static final Name B = new Name("blog", "b");

    private FakeApi api;
    private PodWatches watches;

    @BeforeEach
    void start() throws IOException {
        api = FakeApi.start();
        watches = PodWatches.start(
                ApiServer.at(api.url()),
                new PodWatches.Names("edge", "gw-vcl", Optional.of("gw-certificates")),
                new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)),
                () -> {});
    }

    @AfterEach
    void stop() {
        watches.close();
        api.close();
    }

    @Test
    void theConfigMapIsFoundWhenItComesAndFollowedWhenItChanges() throws Exception {
        eventually(
                "that there is none is said",
                () -> watches.config().fault().equals(Optional.of("there is no ConfigMap gw-vcl")));
        eventually("watched", () -> api.requests("configmaps?fieldSelector=metadata.name%3Dgw-vcl&watch") == 1);
        slice(SHOP, "a-1", "10.0.0.1", "");
        assertThat(watches.config().fault()).contains("there is no ConfigMap gw-vcl");
        api.put(CONFIG_MAPS, "other-vcl", "", data("routing.json", "other"));
        plain("one");
        awaitRouting("one");
        assertThat(watches.config().fault()).isEmpty();
        plain("two");
        awaitRouting("two");
        assertThat(watches.config().known().orElseThrow().vcl()).contains("vcl 4.1;");
        api.delete(CONFIG_MAPS, "gw-vcl");
        eventually("that it is gone is said", () -> watches.config().fault().isPresent());
        assertThat(watches.config().known().orElseThrow().routing()).isPresent();
    }

    @Test
    void slicesOfANamespaceArePagedListedAndWatched() throws Exception {
        for (int i = 0; i < 5; i++) {
            slice(SHOP, "a-" + i, "10.0.0." + i, "");
        }
        watches.slices().want(Set.of(A));
        eventually("listed", () -> watches.slices().known().listed().contains("shop"));
        assertThat(watches.slices().known().all()).hasSize(5);
        assertThat(watches.slices().known().services()).containsExactly(new Name("shop", "a"));
        slice(SHOP, "a-1", "10.0.9.1", "");
        eventually("changed", () -> address("shop", "a-1").equals("10.0.9.1"));
        api.delete(SHOP, "a-1");
        eventually("gone", () -> watches.slices().known().all().size() == 4);
    }

    @Test
    void namespacesComeAndGo() throws Exception {
        slice(SHOP, "a-1", "10.0.0.1", "");
        slice(BLOG, "b-1", "10.0.0.2", "");
        watches.slices().want(Set.of(A));
        eventually("shop", () -> watches.slices().known().listed().equals(Set.of("shop")));
        watches.slices().want(Set.of(A, B));
        eventually("both", () -> watches.slices().known().listed().equals(Set.of("shop", "blog")));
        watches.slices().want(Set.of(B));
        assertThat(watches.slices().known().listed()).containsExactly("blog");
        assertThat(watches.slices().known().all().keySet()).containsExactly(new Name("blog", "b-1"));
        assertThat(api.requests("namespaces/shop/endpointslices?limit")).isEqualTo(1);
    }

    @Test
    void aDroppedConnectionIsResumedWhereItWas() throws Exception {
        watches.slices().want(Set.of(A));
        eventually("listed", () -> watches.slices().known().listed().contains("shop"));
        for (int i = 0; i < 3; i++) {
            int count = i + 1;
            eventually("watched", () -> api.requests("endpointslices?watch") == count);
            api.dropConnections();
            slice(SHOP, "a-" + i, "10.0.0." + i, "");
            String name = "a-" + i;
            eventually("seen", () -> watches.slices().known().all().containsKey(new Name("shop", name)));
        }
        assertThat(api.requests("endpointslices?limit")).as("lists").isEqualTo(1);
    }

    @Test
    void whatTheServerForgotIsListedAgain() throws Exception {
        slice(SHOP, "a-1", "10.0.0.1", "");
        slice(SHOP, "a-2", "10.0.0.2", "");
        watches.slices().want(Set.of(A));
        eventually("listed", () -> watches.slices().known().all().size() == 2);
        api.delete(SHOP, "a-1");
        slice(SHOP, "a-3", "10.0.0.3", "");
        api.compact();
        eventually(
                "listed again",
                () -> watches.slices()
                        .known()
                        .all()
                        .keySet()
                        .equals(Set.of(new Name("shop", "a-2"), new Name("shop", "a-3"))));
        slice(SHOP, "a-4", "10.0.0.4", "");
        eventually("watched again", () -> watches.slices().known().all().size() == 3);
    }

    @Test
    void aBookmarkIsWhereTheNextWatchBegins() throws Exception {
        watches.slices().want(Set.of(A));
        eventually("watched", () -> api.requests("endpointslices?watch") == 1);
        slice(BLOG, "b-1", "10.0.0.1", "");
        api.bookmark();
        api.dropConnections();
        eventually("resumed", () -> api.requests("endpointslices?watch") == 2);
        String last = api.requests().stream()
                .filter(request -> request.contains("endpointslices?watch"))
                .toList()
                .getLast();
        assertThat(last).endsWith("resourceVersion=101");
    }

    @Test
    void aServerThatIsAwayOrRefusesIsSaidSoAndAskedAgain() throws Exception {
        slice(SHOP, "a-1", "10.0.0.1", "");
        api.refuse(3);
        watches.slices().want(Set.of(A));
        eventually("listed at last", () -> watches.slices().known().listed().contains("shop"));
        api.stop();
        eventually("away", () -> watches.slices().known().faults().containsKey("shop"));
        assertThat(watches.slices().known().all()).hasSize(1);
        assertThat(watches.slices().known().listed()).contains("shop");
        slice(SHOP, "a-2", "10.0.0.2", "");
        api.again();
        eventually("back", () -> watches.slices().known().all().size() == 2);
        eventually("no fault", () -> watches.slices().known().faults().isEmpty());
    }

    @Test
    void readinessAddressesAndPortsAreRead() throws Exception {
        api.put(SHOP, "a-1", "\"kubernetes.io/service-name\":\"a\"", """
                ,"addressType":"IPv6","endpoints":[{"addresses":["fd00::1"]},{"addresses":["fd00::2"],"conditions":{"ready":false,\
                "serving":true,"terminating":true}},{"addresses":["fd00::3"],"conditions":{"ready":false}}],"ports":[{"name":"http",\
                "port":8080,"protocol":"TCP"}]""");
        watches.slices().want(Set.of(A));
        eventually("listed", () -> watches.slices().known().all().size() == 1);
        EndpointSlice slice = watches.slices().known().all().values().getFirst();
        assertThat(slice.addressType()).isEqualTo("IPv6");
        assertThat(slice.endpoints())
                .extracting(EndpointSlice.Endpoint::readiness)
                .containsExactly(Readiness.READY, Readiness.DRAINING, Readiness.NOT_READY);
        assertThat(slice.ports().getFirst().port().orElseThrow().value()).isEqualTo(8080);
    }

    @Test
    void routingComesCompressedAndInPartsToo() throws Exception {
        String large = "x".repeat(10_000);
        byte[] zipped = zip(large);
        api.put(CONFIG_MAPS, "gw-vcl", "", ",\"binaryData\":{\"routing.json.gz\":\"" + base64(zipped) + "\"}");
        awaitRouting(large);

        byte[] next = zip(large + "y");
        byte[] first = Arrays.copyOfRange(next, 0, 20);
        byte[] second = Arrays.copyOfRange(next, 20, next.length);
        api.put(CONFIG_MAPS, "gw-vcl-1", "", part(first));
        String list = "[{\"name\":\"gw-vcl-1\",\"sha256\":\"" + RoutingFile.sha256(first)
                + "\"},{\"name\":\"gw-vcl-2\",\"sha256\":\"" + RoutingFile.sha256(second) + "\"}]";
        api.put(CONFIG_MAPS, "gw-vcl", "", data("routing.parts", list));
        eventually(
                "said that a part is missing",
                () -> watches.config().known().orElseThrow().fault().isPresent());
        api.put(CONFIG_MAPS, "gw-vcl-2", "", part(first));
        eventually(
                "said that a hash differs",
                () -> watches.config().known().orElseThrow().fault().orElse("").contains("another hash"));
        assertThat(new String(
                        watches.config()
                                .known()
                                .orElseThrow()
                                .routing()
                                .orElseThrow()
                                .bytes(),
                        UTF_8))
                .isEqualTo(large);
        api.put(CONFIG_MAPS, "gw-vcl-2", "", part(second));
        awaitRouting(large + "y");
        eventually(
                "no fault", () -> watches.config().known().orElseThrow().fault().isEmpty());
    }

    @Test
    void changesCountForTheFileThatTheyAreOf() throws Exception {
        plain("one");
        awaitRouting("one");
        assertThat(routing().changes()).isEmpty();
        changes("one", "a");
        eventually("taken", () -> routing().changes().equals(Optional.of("a")));
        String hash = routing().version().hash();
        changes("one", "b");
        eventually("others", () -> routing().changes().equals(Optional.of("b")));
        assertThat(routing().version().hash()).isNotEqualTo(hash);
        assertThat(routing().wholeHash()).isEqualTo(hash("one"));

        // The whole is written first, and the changes that were of the one before mean nothing for it.
        plain("two");
        changes("two", "");
        awaitRouting("two");
        assertThat(routing().changes()).isEmpty();
        assertThat(routing().version().hash()).isEqualTo(hash("two"));
    }

    @Test
    void aFileWaitsForItsChangesAndTheyForTheirFile() throws Exception {
        plain("one");
        changes("one", "a");
        eventually("taken", () -> changesAre("a"));
        changes("two", "b");
        api.put(CONFIG_MAPS, "gw-vcl", "", ",\"data\":{\"main.vcl\":\"vcl 4.1; # new\",\"routing.json\":\"one\"}");
        eventually(
                "the rest of it is taken",
                () -> watches.config().known().orElseThrow().vcl().orElse("").contains("new"));
        assertThat(routing().changes()).as("what was there stays").contains("a");
        plain("two");
        awaitRouting("two");
        assertThat(routing().changes()).contains("b");
    }

    @Test
    void aFileWhoseChangesDoNotComeIsTakenAlone() throws Exception {
        plain("one");
        changes("one", "a");
        eventually("taken", () -> changesAre("a"));
        api.delete(CONFIG_MAPS, "gw-vcl-changes");
        plain("two");
        assertThat(routing().changes()).contains("a");
        awaitRouting("two");
        assertThat(routing().changes()).isEmpty();
    }

    @Test
    void changesThatComeBeforeTheirFileTakeNothingAway() throws Exception {
        plain("one");
        changes("one", "a");
        eventually("taken", () -> changesAre("a"));
        changes("two", "b");
        Thread.sleep(2500); // longer than a file waits
        api.put(CONFIG_MAPS, "gw-vcl", "", ",\"data\":{\"main.vcl\":\"vcl 4.1; # new\",\"routing.json\":\"one\"}");
        eventually(
                "the rest of it is taken",
                () -> watches.config().known().orElseThrow().vcl().orElse("").contains("new"));
        assertThat(routing().changes()).contains("a");
        plain("two");
        eventually("taken with their file", () -> changesAre("b"));
        api.delete(CONFIG_MAPS, "gw-vcl-changes");
        Thread.sleep(2500);
        assertThat(routing().changes()).as("nor does one that is gone").contains("b");
    }

    private boolean changesAre(String text) {
        return watches.config().known().flatMap(PodConfig::routing).stream()
                .anyMatch(file -> file.changes().equals(Optional.of(text)));
    }

    private RoutingFile routing() {
        return watches.config().known().flatMap(PodConfig::routing).orElseThrow();
    }

    private static String hash(String whole) {
        return new RoutingFile(whole.getBytes(UTF_8)).wholeHash();
    }

    private void changes(String whole, String changes) {
        api.put(
                CONFIG_MAPS,
                "gw-vcl-changes",
                "",
                ",\"data\":{\"base\":\"" + hash(whole) + "\",\"routing.changes.json\":\"" + changes + "\"}");
    }

    @Test
    void aNamespaceThatIsNotAllowedYetIsAskedForAgainAndAgainAtFirst() throws Exception {
        // Each delay of the usual kind is ten seconds here.
        api.refuse(20);
        try (PodWatches slow = PodWatches.start(
                ApiServer.at(api.url()),
                new PodWatches.Names("edge", "gw-vcl", Optional.empty()),
                new Backoff(Duration.ofSeconds(20), Duration.ofSeconds(20)),
                () -> {})) {
            eventually("listed", () -> slow.config().fault().equals(Optional.of("there is no ConfigMap gw-vcl")));
        }
    }

    @Test
    void aListOfPartsCannotMakeThePodAskForOthers() throws Exception {
        plain("one");
        awaitRouting("one");
        api.put(CONFIG_MAPS, "gw-vcl", "", data("routing.parts", "[{\"name\":\"secrets\",\"sha256\":\"\"}]"));
        eventually(
                "refused",
                () -> watches.config().known().orElseThrow().fault().orElse("").contains("none of gw-vcl-1"));
        assertThat(api.requests("/configmaps/secrets")).isZero();
    }

    private void awaitRouting(String text) throws Exception {
        eventually(
                "routing " + text.length(),
                () -> watches.config()
                        .known()
                        .flatMap(PodConfig::routing)
                        .map(file -> new String(file.bytes(), UTF_8))
                        .orElse("")
                        .equals(text));
    }

    private void plain(String routing) {
        api.put(
                CONFIG_MAPS,
                "gw-vcl",
                "",
                ",\"data\":{\"main.vcl\":\"vcl 4.1;\",\"routing.json\":\"" + routing + "\"}");
    }

    private static String data(String key, String value) {
        return ",\"data\":{\"" + key + "\":\"" + value.replace("\"", "\\\"") + "\"}";
    }

    private static String part(byte[] bytes) {
        return ",\"binaryData\":{\"routing.json.gz.part\":\"" + base64(bytes) + "\"}";
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] zip(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private void slice(String collection, String name, String address, String conditions) {
        api.put(
                collection,
                name,
                "\"kubernetes.io/service-name\":\"" + name.substring(0, 1) + "\"",
                ",\"addressType\":\"IPv4\",\"endpoints\":[{\"addresses\":[\"" + address + "\"]" + conditions
                        + "}],\"ports\":[{\"port\":8080}]");
    }

    private String address(String namespace, String name) {
        EndpointSlice slice = watches.slices().known().all().get(new Name(namespace, name));
        return slice == null ? "" : slice.endpoints().getFirst().addresses().getFirst();
    }
}
