package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Routes to Services of a namespace whose endpoints the pod may not read yet. */
final class NewNamespaceTest {
    @TempDir
    private Path folder;

    private Pod pod;

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
        pod.api.forbid(Pod.slices("far"));
        pod.slice("near", "a", pod.backend("a"));
        pod.configure(routing(entry("near/known", "/known", "near/a")));
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    @Test
    void noRequestOfANewRouteIsAnsweredByAnotherRule() throws Exception {
        pod.start(Duration.ofMinutes(1));
        pod.awaitReady();
        pod.configure(routing(
                entry("near/new", "/api", "far/b"),
                entry("near/known", "/known", "near/a"),
                entry("near/new", "/", "near/a")));
        eventually("it waits", () -> pod.state().contains("\"waitsFor\":[\"far/b\"]"));
        assertThat(pod.get("/api").status()).isEqualTo(404);
        assertThat(pod.get("/").status()).isEqualTo(404);
        assertThat(pod.get("/known")).as("another route").isEqualTo(new Pod.Answer(200, "a"));
        int b = pod.backend("b");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Pod.Answer> asking = threads.submit(() -> {
                Pod.Answer answer = pod.get("/api");
                while (answer.status() == 404) {
                    answer = pod.get("/api");
                }
                return answer;
            });
            pod.slice("far", "b", b);
            pod.api.allow(Pod.slices("far"));
            assertThat(asking.get()).isEqualTo(new Pod.Answer(200, "b"));
        }
        assertThat(pod.get("/").body()).isEqualTo("a");
    }

    @Test
    void whatIsServedUntilThenKeepsItsEndpoints() throws Exception {
        pod.slice("old", "c", pod.backend("c"));
        pod.configure(routing(entry("near/r", "/", "old/c")));
        pod.start(Duration.ofMinutes(1));
        pod.awaitReady();
        pod.configure(routing(entry("near/r", "/", "far/b")));
        eventually("it waits", () -> pod.state().contains("\"waitsFor\":[\"far/b\"]"));
        pod.slice("old", "c", pod.backend("c, moved"));
        pod.awaitAnswer("/", 200, "c, moved");
        pod.slice("far", "b", pod.backend("b"));
        pod.api.allow(Pod.slices("far"));
        pod.awaitAnswer("/", 200, "b");
        eventually("nobody asks for the others", () -> pod.state().contains("\"namespaces\":[\"far\"]"));
    }

    @Test
    void aNamespaceThatCannotBeReadIsAnswered503() throws Exception {
        pod.start();
        pod.awaitReady();
        pod.configure(routing(entry("near/new", "/api", "far/b"), entry("near/new", "/", "near/a")));
        eventually("it is served without", () -> pod.get("/api").status() == 503);
        assertThat(pod.get("/")).isEqualTo(new Pod.Answer(200, "a"));
        pod.slice("far", "b", pod.backend("b"));
        pod.api.allow(Pod.slices("far"));
        pod.awaitAnswer("/api", 200, "b");
    }

    private static String routing(String... entries) {
        var list = List.of(entries);
        var numbered = list.stream()
                .map(entry -> entry.replace("PRIORITY", String.valueOf(list.size() - list.indexOf(entry))))
                .toList();
        return "{\"version\":2,\"listeners\":{\"edge/gw/web\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{\"*\":{\"routes\":["
                + String.join(",", numbered) + "]}}}";
    }

    private static String entry(String route, String path, String service) {
        String[] name = service.split("/", 2);
        return """
                {"path_match":{"type":"PathPrefix","value":"%s"},"service":"%s","namespace":"%s","port":8080,"service_port":80,\
                "weight":1,"listeners":["edge/gw/web"],"route_name":"%s","origin":{"rule":0,"match":0},"priority":PRIORITY,\
                "rule_index":0}""".formatted(path, name[1], name[0], route);
    }
}
