package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.chart.ChartMetrics;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pod from the ConfigMap to the answers of varnishd. */
final class ChaperoneTest {
    @TempDir
    private Path folder;

    private Pod pod;

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    @Test
    void aRouteAppearsAndFollowsItsEndpoints() throws Exception {
        int first = pod.backend("first");
        pod.start();
        assertThat(pod.own("/health").status()).isEqualTo(200);
        assertThat(pod.own("/ready").status()).isEqualTo(503);
        pod.slice("a", first);
        pod.route("/a", "a");
        pod.awaitReady();
        assertThat(pod.get("/a")).isEqualTo(new Pod.Answer(200, "first"));
        assertThat(pod.get("/other").status()).isEqualTo(404);

        pod.slice("a", pod.backend("second"));
        pod.awaitAnswer("/a", 200, "second");

        assertThat(pod.state())
                .contains(
                        "\"pod\":\"gw-1\"",
                        "\"ready\":true",
                        "\"routes\":1",
                        "\"namespaces\":[\"shop\"]",
                        "\"waitsFor\":[]",
                        "\"faults\":{}")
                .containsPattern("\"routing\":\"sha256:[0-9a-f]{64}\"")
                .containsPattern("\"name\":\"shellac-");
        assertThat(pod.debug("/debug/backends").body()).contains("\"shop/a:80\"", "127.0.0.1");
        assertThat(Files.readString(folder.resolve("backends.conf"))).contains("[svc_shop_a]\npod_127_0_0_1_");
        assertThat(pod.own("/metrics").body())
                .contains(
                        "chaperone_ready 1",
                        "chaperone_draining 0",
                        "chaperone_vcl_reloads_total 1",
                        "chaperone_ghost_reload_errors_total 0",
                        "varnish_main_client_req ")
                .containsPattern("chaperone_ghost_reloads_total [2-9]");
        assertThat(ChartMetrics.exposed(pod.own("/metrics").body()))
                .as("what alerts and dashboards ask for")
                .containsAll(ChartMetrics.askedFor("chaperone", "varnish", "haproxy"));
        assertThat(ChartMetrics.exposed(pod.own("/metrics").body()).stream()
                        .filter(name -> name.startsWith("chaperone_"))
                        .map(name -> name.replaceFirst("_(count|sum|max)$", ""))
                        .distinct())
                .as("what the page on the operator names")
                .containsExactlyInAnyOrderElementsOf(documented());
    }

    private static Set<String> documented() throws IOException {
        return Files.readString(Path.of("../../docs/operator.md"))
                .lines()
                .filter(line -> line.startsWith("| `chaperone_"))
                .flatMap(line ->
                        Pattern.compile("`(chaperone_[a-z_]+)").matcher(line).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void aNewRouteIsUnknownUntilItsEndpointsAreKnown() throws Exception {
        pod.slice("a", pod.backend("a"));
        pod.route("/a", "a");
        pod.start(Duration.ofMinutes(1));
        pod.awaitReady();
        pod.route("/b", "b");
        eventually("it waits", () -> pod.state().contains("\"waitsFor\":[\"shop/b\"]"));
        assertThat(pod.get("/b").status()).isEqualTo(404);
        int b = pod.backend("b");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> asking = threads.submit(() -> {
                int status = 404;
                while (status == 404) {
                    status = pod.get("/b").status();
                }
                assertThat(status).isEqualTo(200);
                return status;
            });
            pod.slice("b", b);
            asking.get();
        }
    }

    @Test
    void aServiceThatNeverGetsASliceIsPublishedAfterAWhile() throws Exception {
        pod.slice("a", pod.backend("a"));
        pod.route("/a", "a");
        pod.start();
        pod.awaitReady();
        pod.route("/b", "b");
        eventually("nobody is there", () -> pod.get("/b").status() == 503);
    }

    @Test
    void mistakesAreReportedAndChangeNothingElse() throws Exception {
        pod.slice("a", pod.backend("a"));
        pod.route("/a", "a");
        pod.start();
        pod.awaitReady();

        pod.userVcl("sub vcl_recv { set req.http.x = nonsense; }\n");
        eventually("the compiler's words", () -> pod.state().contains("Symbol not found: 'nonsense'"));
        assertThat(pod.state()).contains("main.vcl:").doesNotContain("candidate");
        assertThat(pod.get("/a").status()).isEqualTo(200);
        assertThat(pod.own("/metrics").body())
                .contains("chaperone_vcl_reload_errors_total 1", "chaperone_vcl_reloads_total 1");

        pod.badRoute();
        eventually(
                "the route is refused",
                () -> pod.state()
                        .contains("\"route\":\"shop/bad\",\"rule\":3,\"match\":1,\"field\":\"path_match.value\""));
        assertThat(pod.get("/a").status()).isEqualTo(200);

        pod.configure("{\"version\":3}");
        eventually("the file is refused", () -> pod.state().contains("\"routing.json\":\"not of version 2\""));
        assertThat(pod.get("/a").status()).isEqualTo(200);
        assertThat(pod.own("/ready").status()).isEqualTo(200);

        pod.userVcl("sub vcl_deliver { set resp.http.X-Mark = \"1\"; }\n");
        eventually(
                "all is well",
                () -> !pod.state().contains("nonsense") && !pod.state().contains("version 2"));
    }

    @Test
    void theDataPlaneOutlivesTheApi() throws Exception {
        pod.slice("a", pod.backend("a"));
        pod.route("/a", "a");
        pod.start();
        pod.awaitReady();
        pod.api.stop();
        eventually("it is said", () -> pod.state().contains("EndpointSlices of shop"));
        assertThat(pod.get("/a").status()).isEqualTo(200);
        assertThat(pod.own("/ready").status()).isEqualTo(200);

        pod.stop();
        pod.start();
        pod.awaitReady();
        assertThat(pod.get("/a")).isEqualTo(new Pod.Answer(200, "a"));

        pod.slice("b", pod.backend("b"));
        pod.route("/b", "b");
        pod.api.again();
        pod.awaitAnswer("/b", 200, "b");
        assertThat(pod.get("/a").status()).isEqualTo(200);
    }

    @Test
    void aKilledVarnishdIsReplacedAndServesTheSame() throws Exception {
        pod.slice("a", pod.backend("a"));
        pod.route("/a", "a");
        pod.start();
        pod.awaitReady();
        // Manager and worker: both are to be others.
        List<ProcessHandle> before = pod.varnishds();
        before.forEach(ProcessHandle::destroyForcibly);
        eventually("they ended", () -> before.stream().noneMatch(ProcessHandle::isAlive));
        eventually("it serves again", () -> isAnswered("/a"));
        assertThat(pod.get("/a")).isEqualTo(new Pod.Answer(200, "a"));
        assertThat(pod.varnishds()).isNotEmpty().doesNotContainAnyElementsOf(before);
    }

    // Nobody listens while there is no varnishd.
    private boolean isAnswered(String path) throws Exception {
        try {
            return pod.get(path).status() == 200;
        } catch (ConnectException e) {
            return false;
        }
    }

    @Test
    void theStateIsForThoseWithTheTokenAndCanBeWaitedFor() throws Exception {
        pod.slice("a", pod.backend("a"));
        pod.route("/a", "a");
        pod.start();
        pod.awaitReady();
        assertThat(pod.ownWithout("/state").status()).isEqualTo(403);
        assertThat(pod.own("/ready").status()).isEqualTo(200);
        String now = version(pod.state());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> next =
                    threads.submit(() -> pod.own("/state?since=" + now).body());
            pod.slice("a", pod.backend("again"));
            assertThat(version(next.get())).isNotEqualTo(now);
        }
        assertThat(pod.own("/drain").status()).isEqualTo(404);
        assertThat(pod.own("/ready").status()).as("a signal alone ends a pod").isEqualTo(200);
    }

    private static String version(String state) {
        return state.replaceAll("(?s).*\"version\":\"([^\"]+)\".*", "$1");
    }
}
