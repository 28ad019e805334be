package dev.shellac.cli.run;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.net.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A gateway on this host, from its files to its answers. */
final class RunTest extends RunFixture {
    RunTest() throws IOException {}

    @Test
    void editsAreLiveHoweverTheyAreWritten() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            route("b", "b.example.com", "two");
            shellac.awaitAnswer(port, "b.example.com", "/", 200);
            Path next = folder.resolve(".c.new");
            Files.writeString(next, routeText("c", "c.example.com", "two"));
            Files.move(next, folder.resolve("c.yaml"), StandardCopyOption.ATOMIC_MOVE);
            shellac.awaitAnswer(port, "c.example.com", "/", 200);
            route("a", "a.example.com", "two");
            shellac.await("the other backend", () -> backend("a.example.com").equals("two"));
            Files.createDirectory(folder.resolve("deep"));
            file("deep/d.yaml", routeText("d", "d.example.com", "one"));
            shellac.awaitAnswer(port, "d.example.com", "/", 200);
            Files.delete(folder.resolve("b.yaml"));
            shellac.awaitAnswer(port, "b.example.com", "/", 404);
            shellac.awaitStatus("default/d");
            // A busy machine may take long enough between the two steps of a write for the file to be seen empty.
            assertThat(shellac.log().lines().filter(line -> !line.contains("is empty")))
                    .noneMatch(line -> line.contains("ERROR") || line.contains("WARNING"));
        }
    }

    @Test
    void aFileThatBreaksKeepsWhatItHeld() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            file("a.yaml", routeText("a", "a.example.com", "two") + "  broken: [\n");
            shellac.awaitLog("a.yaml:");
            assertThat(backend("a.example.com")).isEqualTo("one");
            file("nothing.yaml", "apiVersion: v1\nmetadata: {name: x}\n");
            shellac.awaitLog("nothing.yaml:1: kind: missing");
            file("a.yaml", routeText("a", "a.example.com", "two"));
            shellac.await("the mended file", () -> backend("a.example.com").equals("two"));
            file("again.yaml", routeText("a", "other.example.com", "one"));
            shellac.awaitLog("again.yaml:1: HTTPRoute default/a: metadata.name: there is already one");
            assertThat(backend("a.example.com")).isEqualTo("two");
        }
    }

    @Test
    void aKilledVarnishdServesAgain() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            shellac.varnishds().forEach(ProcessHandle::destroyForcibly);
            shellac.awaitLog("varnishd ended");
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
        }
    }

    @Test
    void aRestartWithABrokenFileOrNoFolderServesWhatWasLastGood() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            shellac.await("the copies", () -> Files.exists(shellac.state().resolve("last-good/a.yaml")));
        }
        file("a.yaml", "{");
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            shellac.awaitLog("a.yaml:");
        }
        Path aside = work.resolve("aside");
        Files.move(folder, aside);
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            shellac.awaitLog("put it back");
            Files.move(aside, folder);
            route("a", "a.example.com", "two");
            shellac.await(
                    "the folder that is back", () -> backend("a.example.com").equals("two"));
        }
    }

    @Test
    void ofTwoGatewaysTheYoungerGoesWithoutThePort() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            int other = FreePort.find();
            // Earlier in the alphabet, later in time.
            gateway("aaa", port, other);
            shellac.awaitStatus("PortUnavailable");
            assertThat(shellac.status())
                    .contains("port " + port + " cannot be opened: Gateway default/web, which is older, has it");
            shellac.awaitAnswer(other, "a.example.com", "/", 404);
            assertThat(backend("a.example.com")).isEqualTo("one");
            Files.delete(folder.resolve("web.yaml"));
            shellac.await(
                    "the port passed on",
                    () -> RunningShellac.get(port, "a.example.com", "/")
                            .filter(answer -> answer.status() == 404)
                            .isPresent());
        }
    }

    @Test
    void aPortThatAStrangerHasIsNamedAndTakenWhenItIsFree() throws Exception {
        var stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        int taken = stranger.getLocalPort();
        gateway("web", port, taken);
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            String obstacle = "port " + taken + " cannot be opened: in use by java, process "
                    + ProcessHandle.current().pid();
            shellac.awaitStatus(obstacle);
            shellac.awaitLog(obstacle);
            stranger.close();
            shellac.awaitAnswer(taken, "a.example.com", "/", 200);
            shellac.await("a status without it", () -> !shellac.status().contains("PortUnavailable"));
            shellac.await(
                    "a line that it is solved",
                    () -> shellac.log().lines().anyMatch(line -> line.contains("solved: ") && line.contains(obstacle)));
            assertThat(shellac.log()).contains("varnishd starts anew");
        } finally {
            stranger.close();
        }
    }

    @Test
    void aChangedPortRestartsThatVarnishdAlone() throws Exception {
        int second = FreePort.find();
        gateway("second", second);
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            shellac.awaitAnswer(second, "a.example.com", "/", 404);
            List<ProcessHandle> before = shellac.varnishds();
            int moved = FreePort.find();
            gateway("second", moved);
            shellac.awaitAnswer(moved, "a.example.com", "/", 404);
            assertThat(shellac.varnishds().stream().filter(before::contains)).hasSize(2);
            assertThat(shellac.log()).contains("Gateway default/second: its ports change");
            assertThat(RunningShellac.get(second, "a.example.com", "/")).isEmpty();
        }
    }

    @Test
    void theUsersVclIsLoadedAndABadOneChangesNothing() throws Exception {
        vcl("sub vcl_deliver { set resp.http.X-Mark = \"first\"; }");
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            assertThat(mark()).isEqualTo("first");
            List<ProcessHandle> before = shellac.varnishds();
            vcl("sub vcl_deliver { set resp.http.X-Mark = \"second\"; }");
            shellac.await("the new VCL", () -> mark().equals("second"));
            vcl("sub vcl_deliver {\n  set resp.http.X-Mark = nonsense;\n}");
            shellac.awaitStatus("ConfigMap default/user, user.vcl, line 2, column 26: Symbol not found");
            shellac.awaitLog("ConfigMap default/user, user.vcl, line 2, column 26: Symbol not found");
            assertThat(mark()).isEqualTo("second");
            shellac.awaitTold(folder, "serving, with the last good VCL");
            vcl("sub vcl_deliver {\n  set resp.http.X-Mark = \"no end;\n}");
            shellac.awaitLog("ConfigMap default/user, user.vcl, line 2, column 26: \" has no end");
            vcl("import std;\n import nosuch;\n");
            shellac.awaitStatus("ConfigMap default/user, user.vcl, line 2, column 9: Could not find VMOD nosuch");
            vcl("sub vcl_deliver {\n  set resp.http.X-Mark = nonsense;\n}");
            shellac.awaitStatus("line 2, column 26: Symbol not found");
            assertThat(mark()).isEqualTo("second");
            assertThat(shellac.varnishds()).isEqualTo(before);
        }
        // Still broken, after a restart: what was last taken is used.
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            assertThat(mark()).isEqualTo("second");
            shellac.awaitStatus("line 2, column 26: Symbol not found");
        }
    }

    @Test
    void vclWhoseConfigMapGoesStaysAndOneThatWasNeverThereIsNone() throws Exception {
        vcl("sub vcl_deliver { set resp.http.X-Mark = \"kept\"; }");
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            assertThat(mark()).isEqualTo("kept");
            removeVcl();
            shellac.awaitStatus("which does not exist any more: the text that was last in effect stays");
            assertThat(mark()).isEqualTo("kept");
        }
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            assertThat(mark()).isEqualTo("kept");
            String text = Files.readString(folder.resolve("class.yaml"));
            file("class.yaml", text.replace("name: user, ", "name: never, "));
            shellac.awaitStatus("ConfigMap default/never, which does not exist: requests are served without it");
            shellac.await("no VCL of the user's", () -> mark().isEmpty());
        }
    }

    /** More hosts than ghost takes in a table, in routes that are each good. */
    @Test
    void aTableThatGhostRefusesLeavesTheLastOneServing() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            Path many = Files.createDirectory(work.resolve("many"));
            for (int part = 0; part < 5; part++) {
                Files.writeString(many.resolve("part-" + part + ".yaml"), routesOfSixteenHosts(part * 2501, 2501));
            }
            Files.move(many, folder.resolve("many"));
            shellac.awaitLogPatiently("limit 200000");
            assertThat(backend("a.example.com")).isEqualTo("one");
            shellac.awaitStatusPatiently("the router refuses the table: vhosts: 200081 hosts, limit 200000");
            assertThat(shellac.status()).contains("value: \"127.0.0.1\"");
            shellac.awaitTold(folder, "serving, as it last was: a change is pending");
            String told = shellac.told(folder);
            assertThat(told).contains("running: default/web", "the router refuses the table: vhosts: 200081 hosts");
            assertThat(told.lines().filter(line -> line.startsWith("default/a ")))
                    .singleElement()
                    .asString()
                    .endsWith(" serving, as it last was: a change is pending");
            assertThat(told.lines().filter(line -> line.startsWith("default/many-7 ")))
                    .singleElement()
                    .asString()
                    .endsWith(" Pending");
            try (var files = Files.list(folder.resolve("many"))) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            route("b", "b.example.com", "two");
            shellac.awaitAnswer(port, "b.example.com", "/", 200);
        }
    }

    private static String routesOfSixteenHosts(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(route -> """
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: HTTPRoute
                        metadata: {name: many-%d}
                        spec:
                          parentRefs: [{name: web}]
                          hostnames: [%s]
                        """.formatted(
                                route,
                                IntStream.range(0, 16)
                                        .mapToObj(host -> "h%d.r%d.example".formatted(host, route))
                                        .collect(joining(", "))))
                .collect(joining("---\n"));
    }

    @Test
    void anEmptyFolderIsSaidAndFilledLater() throws Exception {
        Path aside = work.resolve("aside");
        Files.move(folder, aside);
        Files.createDirectory(folder);
        try (RunningShellac shellac = start()) {
            shellac.awaitLog("holds no .yaml");
            try (var files = Files.list(aside)) {
                for (Path file : files.toList()) {
                    Files.copy(file, folder.resolve(file.getFileName()));
                }
            }
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
        }
    }

    @Test
    void whatAKilledRunLeftIsEnded() throws Exception {
        RunningShellac killed = start();
        killed.awaitAnswer(port, "a.example.com", "/", 200);
        List<ProcessHandle> left = killed.varnishds();
        killed.kill();
        assertThat(left).allMatch(ProcessHandle::isAlive);
        try (RunningShellac shellac = start()) {
            shellac.await("their end", () -> left.stream().noneMatch(ProcessHandle::isAlive));
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            assertThat(shellac.log()).contains("which a killed run left");
        }
    }

    @Test
    void twoRunsDoNotShareAState() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            RunningShellac other = start();
            shellac.await(
                    "its end",
                    () -> ProcessHandle.of(other.pid())
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
            assertThat(other.log())
                    .contains("another shellac serves with the state folder")
                    .hasLineCount(1);
        }
    }
}
