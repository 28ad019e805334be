package dev.shellac.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.net.FreePort;
import dev.shellac.varnishd.VarnishdSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is wrong with a folder that is served, what the log and {@code shellac status} say of it, and what goes on meanwhile. */
final class RunStatusTest extends RunFixture {
    RunStatusTest() throws IOException {}

    @Test
    void anUnknownFieldIsAnErrorAndTheLastGoodObjectStays() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            file("a.yaml", routeText("a", "a.example.com", "two").replace("hostnames:", "hostname:"));
            shellac.awaitLog("a.yaml:6: HTTPRoute a: spec.hostname: unknown field; do you mean hostnames?");
            assertThat(backend("a.example.com")).isEqualTo("one");
            shellac.awaitTold(folder, "serving, as it last was: a.yaml:6 is not valid");
            route("a", "a.example.com", "two");
            shellac.awaitLog("solved: " + folder.resolve("a.yaml") + ":6: HTTPRoute a: spec.hostname: unknown field");
            shellac.await("the mended file", () -> backend("a.example.com").equals("two"));
            assertThat(shellac.log().lines().filter(line -> line.contains("unknown field")))
                    .hasSize(2);
        }
    }

    /** The state of the run, not what the files say by now. */
    @Test
    void statusTellsWhatRuns() throws Exception {
        var stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        try (stranger;
                RunningShellac shellac = start()) {
            shellac.awaitTold(folder, "running: default/web");
            assertThat(shellac.told(folder)).contains("serving").doesNotContain("valid");
            file("a.yaml", routeText("a", "a.example.com", "one") + "  broken: [\n");
            shellac.awaitTold(folder, "serving, as it last was: a.yaml:9 cannot be read");
            gateway("web", stranger.getLocalPort());
            shellac.awaitTold(folder, "running, and nothing is served");
            assertThat(shellac.told(folder)).contains("PortUnavailable").doesNotContain("serving");
            shellac.awaitLog("port " + stranger.getLocalPort() + " cannot be opened: in use by java");
        }
        assertThat(RunningShellac.told(folder, work)).contains("not running").doesNotContain("serving");
    }

    private String row(String told, String first) {
        return told.lines()
                .filter(line -> line.startsWith(first + " "))
                .findFirst()
                .orElse("");
    }

    @Test
    void aRouteOfNothingButATakenPortIsNotServing() throws Exception {
        var stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        int taken = stranger.getLocalPort();
        gateway("web", port, taken);
        file(
                "b.yaml",
                routeText("b", "b.example.com", "two")
                        .replace("{name: web}", "{name: web, sectionName: p" + taken + "}"));
        try (stranger;
                RunningShellac shellac = start()) {
            shellac.awaitTold(folder, "running: default/web");
            String told = shellac.told(folder);
            assertThat(row(told, "default/a")).endsWith(" serving");
            assertThat(row(told, "default/b")).endsWith(" PortUnavailable");
            assertThat(told.lines().filter(line -> line.contains(" HTTP ") && line.endsWith(" PortUnavailable")))
                    .hasSize(1);
            stranger.close();
            shellac.await(
                    "the port that is free",
                    () -> row(shellac.told(folder), "default/b").endsWith(" serving"));
        }
    }

    @Test
    void aVarnishdThatCannotStartAgainServesNothing() throws Exception {
        Path broken = work.resolve("broken");
        Path script = work.resolve("varnishd");
        Files.writeString(script, """
                #!/bin/sh
                [ ! -e '%s' ] || exit 1
                exec %s "$@"
                """.formatted(broken, RunningShellac.VARNISHD));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (RunningShellac shellac = RunningShellac.start(folder, work, script.toString())) {
            shellac.awaitTold(folder, "running: default/web");
            Files.createFile(broken);
            shellac.varnishds().forEach(ProcessHandle::destroyForcibly);
            shellac.awaitTold(folder, "running, and nothing is served");
            assertThat(shellac.told(folder)).doesNotContain("serving").doesNotContain("running: ");
            shellac.awaitLog("varnishd ended with status 1 and is started again in 1600 ms");
            assertThat(shellac.told(folder))
                    .contains("running, and nothing is served")
                    .doesNotContain("serving")
                    .doesNotContain("the VCL was refused");
            Files.delete(broken);
            shellac.awaitTold(folder, "running: default/web");
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
        }
    }

    @Test
    void aVclThatTakesLongLeavesTheLastOneServing() throws Exception {
        Path go = work.resolve("go");
        String compiler =
                "while grep -q slow-vcl %s && [ ! -e " + go + " ]; do sleep 0.1; done; " + VarnishdSettings.TCC;
        vcl("sub vcl_deliver { set resp.http.X-Mark = \"first\"; }");
        try (RunningShellac shellac =
                RunningShellac.start(folder, work, RunningShellac.VARNISHD, "--parameter=cc_command=" + compiler)) {
            shellac.awaitTold(folder, "running: default/web");
            vcl("# slow-vcl\nsub vcl_deliver { set resp.http.X-Mark = \"second\"; }");
            shellac.awaitStatus("varnishd is still taking the last change");
            shellac.awaitTold(folder, "serving, as it last was: a change is pending");
            assertThat(shellac.told(folder)).contains("running: default/web");
            assertThat(mark()).isEqualTo("first");
            Files.createFile(go);
            shellac.await("the new VCL", () -> mark().equals("second"));
            shellac.await(
                    "nothing that is pending",
                    () -> row(shellac.told(folder), "default/a").endsWith(" serving"));
        }
    }

    @Test
    void aGatewayThatIsBackWithinASecondGoesOn() throws Exception {
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            List<ProcessHandle> before = shellac.varnishds();
            Path web = folder.resolve("web.yaml");
            byte[] text = Files.readAllBytes(web);
            // As rm and cp do it. Who needs a second for that is no example of it.
            long took;
            do {
                long start = System.nanoTime();
                Files.delete(web);
                Files.write(web, text);
                took = System.nanoTime() - start;
            } while (took > Settling.ABSENCE.toNanos() / 2);
            route("b", "b.example.com", "two");
            shellac.awaitAnswer(port, "b.example.com", "/", 200);
            assertThat(shellac.varnishds()).isEqualTo(before);
            assertThat(shellac.log()).doesNotContain("is gone");
            Files.delete(web);
            shellac.awaitLog("Gateway default/web is gone: its varnishd stops");
            shellac.awaitTold(folder, "running, and nothing is served");
        }
    }

    /** A file that is half written, and a folder that a checkout takes away and brings back. */
    @Test
    void whatIsBackWithinASecondWasNeverGone() throws Exception {
        int second = FreePort.find();
        gateway("web", port, second);
        Path below = Files.createDirectory(folder.resolve("below"));
        file("below/c.yaml", routeText("c", "c.example.com", "one"));
        try (RunningShellac shellac = start()) {
            List<ProcessHandle> before;
            Duration took;
            do {
                shellac.awaitAnswer(second, "c.example.com", "/", 200);
                before = shellac.varnishds();
                long began = System.nanoTime();
                gateway("web", port);
                Files.move(below, work.resolve("elsewhere"));
                // Longer than the folder has to be quiet: this is read as it is.
                Thread.sleep(Settling.QUIET.multipliedBy(4));
                int status = RunningShellac.get(port, "c.example.com", "/")
                        .orElseThrow()
                        .status();
                Files.move(work.resolve("elsewhere"), below);
                gateway("web", port, second);
                took = Duration.ofNanos(System.nanoTime() - began);
                // A machine that needs a second for that is no example of it.
                if (took.compareTo(Settling.ABSENCE) < 0) {
                    assertThat(status).isEqualTo(200);
                } else {
                    Thread.sleep(Settling.ABSENCE.multipliedBy(2));
                }
            } while (took.compareTo(Settling.ABSENCE) >= 0);
            route("b", "b.example.com", "two");
            shellac.awaitAnswer(second, "b.example.com", "/", 200);
            assertThat(shellac.varnishds()).isEqualTo(before);
            Files.delete(below.resolve("c.yaml"));
            Files.delete(below);
            shellac.awaitAnswer(port, "c.example.com", "/", 404);
            gateway("web", port);
            shellac.awaitLog("its ports change from ");
        }
    }

    @Test
    void httpsIsRefusedInTheWordsOfCheck() throws Exception {
        String sentence =
                "listener https: UnsupportedProtocol: protocol HTTPS is not served without a cluster: put a TLS proxy"
                        + " in front of an HTTP listener";
        Files.writeString(
                folder.resolve("web.yaml"),
                Files.readString(folder.resolve("web.yaml")) + """
                  - {name: https, protocol: HTTPS, port: %d, tls: {certificateRefs: [{name: shop}]}}
                """.formatted(FreePort.find()));
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "/", 200);
            shellac.awaitLog("web.yaml:1: Gateway default/web: " + sentence);
            shellac.awaitTold(folder, "web.yaml:1: Gateway default/web: " + sentence);
            assertThat(shellac.log().lines().filter(line -> line.contains("HTTPS")))
                    .hasSize(1);
            assertThat(shellac.log()).doesNotContain("ghost refuses");
        }
    }
}
