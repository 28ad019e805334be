package dev.shellac.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.ResourceId;
import dev.shellac.model.core.EndpointSlice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The documented way of a folder into a cluster, with a kubectl that only notes what it is given: every object is applied but
 * EndpointSlices, which Kubernetes writes itself.
 */
final class IntoAClusterTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh into-a-cluster\\n(.*?)^```$");
    private static final String DOCUMENTED = "examples/quickstart";

    @TempDir
    private Path work;

    @TestFactory
    Stream<DynamicTest> examples() throws IOException {
        List<String> blocks = BLOCK.matcher(Files.readString(ROOT.resolve("docs/standalone.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(blocks).singleElement().asString().contains(DOCUMENTED);
        try (Stream<Path> folders = Files.list(ROOT.resolve("examples"))) {
            return folders.filter(Files::isDirectory).sorted().toList().stream()
                    .map(folder -> "examples/" + folder.getFileName())
                    .map(folder -> DynamicTest.dynamicTest(
                            folder, () -> apply(blocks.getFirst().replace(DOCUMENTED, folder), folder)));
        }
    }

    private void apply(String command, String folder) throws Exception {
        Path noted = Files.createTempFile(work, "applied", ".txt");
        Path kubectl = work.resolve("kubectl");
        Files.writeString(kubectl, "#!/bin/sh\necho \"$*\" >>'" + noted + "'\n");
        Files.setPosixFilePermissions(kubectl, PosixFilePermissions.fromString("rwxr-xr-x"));
        var shell = new ProcessBuilder("sh", "-ec", command)
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        shell.environment().merge("PATH", work.toString(), (path, first) -> first + ":" + path);
        assertThat(shell.start().waitFor()).isZero();
        var files = new ArrayList<Path>();
        for (String call : Files.readAllLines(noted)) {
            assertThat(call).startsWith("apply -f ");
            files.add(ROOT.resolve(call.substring("apply -f ".length())));
        }
        Decoded applied = decoded(files);
        assertThat(applied.findings()).isEmpty();
        assertThat(applied.objects()).noneMatch(object -> object.resource() instanceof EndpointSlice);
        try (Stream<Path> all = Files.walk(ROOT.resolve(folder))) {
            assertThat(ids(applied))
                    .containsExactlyInAnyOrderElementsOf(
                            ids(decoded(all.filter(file -> file.toString().endsWith(".yaml"))
                                    .toList())));
        }
    }

    private static List<ResourceId> ids(Decoded decoded) {
        return decoded.objects().stream()
                .map(Decoded.Located::resource)
                .filter(object -> !(object instanceof EndpointSlice))
                .map(object -> object.id())
                .toList();
    }

    private static Decoded decoded(List<Path> files) throws IOException {
        var sources = new ArrayList<Source>();
        for (Path file : files) {
            sources.add(Source.of(file.toString(), Files.readString(file)));
        }
        return Decoder.decode(sources);
    }
}
