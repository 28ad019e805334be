package dev.shellac.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.shellac.cli.echo.EchoServer;
import dev.shellac.cli.folder.Folder;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.testkit.net.FreePort;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every example is served as its {@code expect.txt} says, by a varnishd, on ports that are free. */
final class RunExamplesTest {
    private static final Pattern PORT = Pattern.compile("\\b(80[0-9]{2}|90[0-9]{2})\\b");
    private static final Pattern REQUEST = Pattern.compile("([A-Z]+) (\\S+)((?: -H '[^']*')*) => (.*)");
    private static final Pattern HEADER = Pattern.compile("-H '([^']*)'");
    private static final Pattern SHARE = Pattern.compile("([0-9.]+)% [a-z-]+/([a-z0-9-]+):[0-9]+");
    private static final int MANY = 1000;
    private static final Pattern SERVICE = Pattern.compile("[a-z-]+/([a-z0-9-]+):[0-9]+");

    @TempDir
    private Path work;

    @TestFactory
    Stream<DynamicTest> examples() throws IOException {
        try (Stream<Path> folders = Files.list(RunningShellac.HOME.resolve("examples"))) {
            return folders.filter(folder -> Files.exists(folder.resolve("expect.txt"))).sorted().toList().stream()
                    .map(folder -> DynamicTest.dynamicTest(folder.getFileName().toString(), () -> serve(folder)));
        }
    }

    private void serve(Path example) throws Exception {
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path name = example.getFileName();
        Path own = Files.createDirectories(work.resolve(name == null ? "" : name.toString()));
        Path folder = Files.createDirectory(own.resolve("site"));
        var ports = new HashMap<String, Integer>();
        try (Stream<Path> files = Files.list(example)) {
            for (Path file : files.toList()) {
                Files.writeString(folder.resolve(file.getFileName()), moved(Files.readString(file), ports));
            }
        }
        var backends = new ArrayList<EchoServer>();
        try (RunningShellac shellac = RunningShellac.start(folder, own)) {
            for (EndpointSlice slice :
                    Folder.at(folder, InstantSource.system()).read().snapshot().all(EndpointSlice.class)) {
                backends.add(EchoServer.start(
                        slice.service().orElseThrow(),
                        slice.ports().getFirst().port().orElseThrow().value()));
            }
            List<String> requests = Files.readAllLines(folder.resolve("expect.txt")).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            assertThat(requests).isNotEmpty();
            for (String request : requests) {
                expect(shellac, request);
            }
        } finally {
            backends.forEach(EchoServer::close);
        }
    }

    private static String moved(String text, Map<String, Integer> ports) throws IOException {
        var moved = new StringBuilder();
        Matcher found = PORT.matcher(text);
        while (found.find()) {
            if (!ports.containsKey(found.group())) {
                ports.put(found.group(), FreePort.find());
            }
            found.appendReplacement(moved, ports.get(found.group()) + "");
        }
        return found.appendTail(moved).toString();
    }

    private static void expect(RunningShellac shellac, String line) throws Exception {
        Matcher request = REQUEST.matcher(line);
        assertThat(request.matches()).as(line).isTrue();
        URI url = URI.create(request.group(2));
        String target = url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
        var head = new StringBuilder(
                request.group(1) + " " + target + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n");
        HEADER.matcher(request.group(3))
                .results()
                .forEach(header -> head.append(header.group(1)).append("\r\n"));
        if (request.group(1).equals("POST")) {
            head.append("Content-Length: 0\r\n");
        }
        String expected = request.group(4);
        boolean served = SERVICE.matcher(expected).find();
        int status = served ? 200 : Integer.parseInt(expected.substring(0, 3));
        // Its varnishd listens for a moment before it has the table.
        shellac.await(
                line,
                () -> RunningShellac.ask(url.getPort(), head.toString())
                        .filter(answer -> answer.status() == status)
                        .isPresent());
        RunningShellac.Answer answer =
                RunningShellac.ask(url.getPort(), head.toString()).orElseThrow();
        assertThat(answer.status()).as(line).isEqualTo(status);
        if (!served) {
            if (expected.startsWith("30")) {
                assertThat(answer.header("Location")).as(line).isEqualTo(expected.substring(4));
            }
            return;
        }
        if (expected.contains("%")) {
            expectShares(url.getPort(), head.toString(), expected);
        } else {
            assertThat(answer.header("X-Backend"))
                    .as(line)
                    .isEqualTo(services(expected).getFirst());
        }
        // Of an object from the cache, Varnish names two transactions: this one, and the one that fetched it.
        RunningShellac.Answer again =
                RunningShellac.ask(url.getPort(), head.toString()).orElseThrow();
        assertThat(again.header("X-Varnish").contains(" ")).as(line).isEqualTo(expected.endsWith(", cached"));
    }

    private static List<String> services(String expected) {
        return SERVICE.matcher(expected).results().map(found -> found.group(1)).toList();
    }

    // Six standard deviations: a right share fails once in 500 million runs, a wrong one is seen.
    private static void expectShares(int port, String head, String expected) {
        var got = new HashMap<String, Integer>();
        for (int i = 0; i < MANY; i++) {
            got.merge(RunningShellac.ask(port, head).orElseThrow().header("X-Backend"), 1, Integer::sum);
        }
        assertThat(got.keySet()).containsExactlyInAnyOrderElementsOf(services(expected));
        SHARE.matcher(expected).results().forEach(share -> {
            double part = Double.parseDouble(share.group(1)) / 100;
            assertThat((double) got.getOrDefault(share.group(2), 0))
                    .as(expected)
                    .isCloseTo(part * MANY, within(6 * Math.sqrt(MANY * part * (1 - part))));
        });
    }
}
