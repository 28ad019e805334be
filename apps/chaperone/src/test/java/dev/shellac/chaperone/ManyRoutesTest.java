package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.net.FreePort;
import dev.shellac.translate.resolve.MemoryBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pod of 512 MiB, and as many routes as one Gateway may have: its process gets by with four fifths of the heap that such a pod gives it. */
final class ManyRoutesTest {
    private static final long LIMIT = 512L << 20;
    private static final int ROUTES = 10_000;
    private static final int AT_ONCE = 250;
    private static final Path ARGUMENTS =
            Path.of(System.getProperty("shellac.home", "../.."), "images/gateway/java.args");

    @TempDir
    private Path folder;

    @Test
    void tenThousandRoutesFitTheHeap() throws Exception {
        try (Pod pod = Pod.in(folder)) {
            pod.slice("a", pod.backend("a"));
            pod.compressed(routing(1));
            running(pod, (process, health) -> {
                for (int routes = AT_ONCE; routes <= ROUTES; routes += AT_ONCE) {
                    pod.compressed(routing(routes));
                    String last = host(routes - 1);
                    eventually(last + " is served", () -> !process.isAlive() || isServed(pod, last));
                    assertThat(process.isAlive())
                            .as("after %s routes: %s", routes, log())
                            .isTrue();
                }
                assertThat(isServed(pod, host(0))).isTrue();
            });
            running(pod, (process, health) -> {
                assertThat(isServed(pod, host(0))).isTrue();
                pod.compressed(routing(ROUTES + 1));
                eventually("one more is served", () -> !process.isAlive() || isServed(pod, host(ROUTES)));
                tooMany(pod, process, health);
                assertThat(process.isAlive())
                        .as("started with all of them: %s", log())
                        .isTrue();
                pod.compressed("x".repeat(32 << 20));
                eventually("refused", () -> state(health).contains("no memory for more"));
                assertThat(isServed(pod, host(ROUTES))).isTrue();
            });
        }
    }

    // Hosts are taken in their order while there is memory for them; the others are reported by route.
    private void tooMany(Pod pod, Process process, int health) throws Exception {
        pod.compressed(routing(2 * ROUTES));
        eventually("reported", () -> !process.isAlive() || state(health).contains("hosts are left out"));
        assertThat(process.isAlive()).as("with twice as many: %s", log()).isTrue();
        assertThat(state(health)).contains("\"route\":\"shop/r");
        assertThat(isServed(pod, host(0))).isTrue();
        assertThat(isServed(pod, host(ROUTES * 9 / 10))).isTrue();
        assertThat(isServed(pod, host(2 * ROUTES - 1))).isFalse();
        pod.compressed(routing(ROUTES + 1));
        eventually("nothing is left out", () -> !state(health).contains("left out"));
        assertThat(process.isAlive()).as("as before: %s", log()).isTrue();
    }

    private interface Story {
        void tell(Process process, int health) throws Exception;
    }

    private void running(Pod pod, Story story) throws Exception {
        int health = FreePort.find();
        Process process = start(pod, health);
        try {
            eventually("ready", () -> isReady(health));
            story.tell(process, health);
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    private static boolean isReady(int health) {
        try {
            return Pod.ask("http://127.0.0.1:" + health + "/ready", "").status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static String state(int health) throws IOException {
        return Pod.ask("http://127.0.0.1:" + health + "/state", Pod.TOKEN).body();
    }

    private static boolean isServed(Pod pod, String host) throws IOException {
        try (KeptConnection connection = KeptConnection.to(pod.port())) {
            return connection.get(host, "/").status() == 200;
        }
    }

    private String log() {
        try (Stream<String> lines = Files.lines(folder.resolve("log"))) {
            return lines.filter(line -> !line.contains("is live")).collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String host(int number) {
        return "r" + number + ".example.com";
    }

    // As the operator writes it.
    private static String routing(int routes) {
        String head = """
                {
                  "version": 2,
                  "listeners": {
                    "edge/gw/web": {
                      "port": 80,
                      "protocol": "HTTP"
                    }
                  },
                  "vhosts": {
                """;
        return IntStream.range(0, routes)
                .mapToObj(ManyRoutesTest::vhost)
                .collect(Collectors.joining(",\n", head, "\n  }\n}\n"));
    }

    private static String vhost(int number) {
        return """
                    "%s": {
                      "routes": [
                        {
                          "hostname": "%s",
                          "path_match": {
                            "type": "PathPrefix",
                            "value": "/"
                          },
                          "service": "a",
                          "namespace": "shop",
                          "port": 8080,
                          "service_port": 80,
                          "weight": 1,
                          "listeners": [
                            "edge/gw/web"
                          ],
                          "route_name": "shop/r%d",
                          "origin": {
                            "rule": 0,
                            "match": 0
                          },
                          "priority": 1,
                          "rule_index": 0
                        }
                      ]
                    }""".formatted(host(number), host(number), number);
    }

    private Process start(Pod pod, int health) throws IOException {
        var builder = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().putAll(pod.environment());
        builder.environment().put("HEALTH_ADDR", "127.0.0.1:" + health);
        builder.environment().put("DRAIN_DELAY", "0");
        return builder.start();
    }

    private static List<String> command() throws IOException {
        List<String> arguments = Files.readAllLines(ARGUMENTS).stream()
                .filter(line -> line.startsWith("-"))
                .toList();
        return Stream.of(
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        arguments.stream(),
                        Stream.of(
                                System.getProperty(
                                        "heap",
                                        "-Xmx"
                                                + MemoryBudget.of(Optional.of(LIMIT))
                                                        .javaHeap()),
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.shellac.chaperone.Main"))
                .flatMap(part -> part)
                .toList();
    }
}
