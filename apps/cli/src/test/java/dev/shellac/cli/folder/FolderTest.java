package dev.shellac.cli.folder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Finding;
import dev.shellac.model.Name;
import dev.shellac.model.route.HttpRoute;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FolderTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path root;

    private Instant now = START;
    private Folder folder = Folder.at(Path.of(""), () -> START);

    @BeforeEach
    void open() {
        InstantSource clock = () -> now;
        folder = Folder.at(root, clock);
    }

    @Test
    void everyManifestOfEveryDepthIsRead() throws IOException {
        write("a.yaml", route("a"));
        write("deep/er/b.yml", route("b"));
        write("c.json", "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"c\"}}");
        Reading reading = folder.read();
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.objects()).hasSize(3);
        assertThat(reading.files()).isEqualTo(3);
    }

    @Test
    void anObjectKnowsItsFileAndLine() throws IOException {
        write("a.yaml", "# one\n---\n" + route("a"));
        Reading reading = folder.read();
        assertThat(reading.place(reading.objects().keySet().iterator().next()))
                .hasToString("Optional[" + root.resolve("a.yaml") + ":3]");
    }

    @Test
    void whatIsHiddenOrLeftByAnEditorIsNoFile() throws IOException {
        for (String name : List.of(
                ".a.yaml", ".git/b.yaml", "c.yaml~", "#d.yaml#", "#e.yaml", ".f.yaml.swp", "~g.yaml", "h.txt")) {
            write(name, "kind: [");
        }
        assertThat(said()).containsExactly("DIR: holds no .yaml, .yml or .json file: write your objects into one");
    }

    @Test
    void aFolderThatIsNotThere() {
        folder = Folder.at(root.resolve("none"), () -> now);
        assertThat(said()).containsExactly("DIR/none: there is no such folder");
    }

    @Test
    void aFileInsteadOfAFolder() throws IOException {
        write("a.yaml", route("a"));
        folder = Folder.at(root.resolve("a.yaml"), () -> now);
        assertThat(said()).containsExactly("DIR/a.yaml: is a file: name the folder that it is in");
    }

    @Test
    void aSyntaxErrorIsNamedWithItsLine() throws IOException {
        write("a.yaml", "apiVersion: v1\nkind: [\nmetadata: }\n");
        assertThat(said())
                .containsExactly("DIR/a.yaml:3: cannot be read: while parsing a flow node: "
                        + "expected the node content, but found '}'");
    }

    @Test
    void aMissingOrUnknownKindIsNamed() throws IOException {
        write("a.yaml", "apiVersion: v1\nmetadata: {name: a}\n");
        write("b.yaml", route("b").replace("HTTPRoute", "HttpRoutes"));
        write("c.yaml", "apiVersion: gateway.networking.k8s.io/v1\nkind: GRPCRoute\nmetadata: {name: c}\n");
        assertThat(said())
                .containsExactly(
                        "DIR/a.yaml:1: kind: missing: without it nobody knows what this object is",
                        "DIR/b.yaml:1: kind: there is no HttpRoutes; do you mean HTTPRoute?",
                        "DIR/c.yaml:1: kind: GRPCRoute is not supported, it has no effect");
    }

    @Test
    void anUnknownFieldIsNamed() throws IOException {
        write("a.yaml", route("a") + "  hostname: [a.example.com]\n");
        assertThat(said()).singleElement().asString().startsWith("DIR/a.yaml:6: HTTPRoute a: spec.hostname: ");
    }

    @Test
    void aHostnameThatIsNoneIsNamed() throws IOException {
        write("a.yaml", route("a") + "  hostnames: [\"http://a.example.com:80\"]\n");
        assertThat(said()).singleElement().asString().startsWith("DIR/a.yaml:6: HTTPRoute a: spec.hostnames[0]: ");
    }

    @Test
    void aRouteWithAThousandMatchesIsRefusedInOneLine() throws IOException {
        write("a.yaml", route("a") + "  rules:\n  - matches:\n" + "    - {path: {value: /x}}\n".repeat(1000));
        assertThat(said()).singleElement().asString().startsWith("DIR/a.yaml:").contains("spec.rules[0].matches", "64");
    }

    @Test
    void twoObjectsOfOneNameAreBothNamed() throws IOException {
        write("a.yaml", route("x"));
        write("b.yaml", "\n" + route("x"));
        assertThat(said())
                .containsExactly(
                        "DIR/b.yaml:2: HTTPRoute default/x: metadata.name: there is already one of this name, at "
                                + "DIR/a.yaml:1; this one is not used");
    }

    @Test
    void aFileOfFiveMegabytesIsNotRead() throws IOException {
        write("a.yaml", "#".repeat(5_000_000));
        assertThat(said())
                .containsExactly(
                        "DIR/a.yaml:1: cannot be read: the file has 5000000 bytes; at most 4194304 are read: split it");
    }

    @Test
    void anEmptyFileIsNamed() throws IOException {
        write("a.yaml", "");
        assertThat(said()).containsExactly("DIR/a.yaml:1: is empty: write objects into it, or remove it");
    }

    @Test
    void aFileThatBreaksKeepsWhatItHeld() throws IOException {
        write("a.yaml", route("a") + "---\n" + route("b"));
        Reading good = folder.read();
        for (String broken : List.of("kind: [", "", " \n")) {
            write("a.yaml", broken);
            Reading reading = folder.read();
            assertThat(reading.snapshot()).isSameAs(good.snapshot());
            assertThat(reading.findings()).hasSize(2);
            assertThat(reading.findings().getLast())
                    .asString()
                    .endsWith(
                            "until it is mended, this is used as it last was: HTTPRoute default/a, HTTPRoute default/b");
        }
        write("a.yaml", route("a"));
        assertThat(folder.read().findings()).isEmpty();
        assertThat(names()).containsExactly("default/a");
    }

    @Test
    void aBadObjectStaysAsItWasAndItsNeighboursChange() throws IOException {
        write("a.yaml", route("a") + "---\n" + route("b"));
        Reading good = folder.read();
        write("a.yaml", route("a") + "  nonsense: 1\n---\n" + route("b") + "  hostnames: [b.example.com]\n");
        Reading reading = folder.read();
        assertThat(find(reading, "a")).isEqualTo(find(good, "a"));
        assertThat(find(reading, "b")).isNotEqualTo(find(good, "b"));
    }

    @Test
    void whatABrokenFileHeldGivesWayToAGoodOne() throws IOException {
        write("a.yaml", route("a"));
        folder.read();
        write("a.yaml", "kind: [");
        write("b.yaml", route("a") + "  hostnames: [b.example.com]\n");
        Reading reading = folder.read();
        assertThat(find(reading, "a").hostnames()).hasSize(1);
        assertThat(reading.errors()).hasSize(1);
    }

    @Test
    void aFileThatIsRemovedTakesItsObjectsWithIt() throws IOException {
        write("a.yaml", route("a"));
        write("b.yaml", route("b"));
        folder.read();
        Files.delete(root.resolve("a.yaml"));
        assertThat(folder.read().findings()).isEmpty();
        assertThat(names()).containsExactly("default/b");
    }

    @Test
    void aFolderThatVanishesKeepsWhatItHeld() throws IOException {
        Path inner = root.resolve("inner");
        folder = Folder.at(inner, () -> now);
        write("inner/a.yaml", route("a"));
        Reading good = folder.read();
        Files.delete(inner.resolve("a.yaml"));
        Files.delete(inner);
        assertThat(said())
                .containsExactly("DIR/inner: the folder is gone; what it held last is still used: put it back");
        assertThat(folder.read().snapshot()).isSameAs(good.snapshot());
        write("inner/a.yaml", route("a"));
        assertThat(folder.read().findings()).isEmpty();
    }

    @Test
    void onlyWhatChangedIsParsedAgain() throws IOException {
        write("a.yaml", route("a"));
        write("b.yaml", route("b"));
        Reading first = folder.read();
        assertThat(first.parsed()).isEqualTo(2);
        Reading second = folder.read();
        assertThat(second.parsed()).isZero();
        assertThat(second.snapshot()).isSameAs(first.snapshot());
        write("a.yaml", route("a") + "  hostnames: [a.example.com]\n");
        Reading third = folder.read();
        assertThat(third.parsed()).isEqualTo(1);
        assertThat(find(third, "b")).isSameAs(find(first, "b"));
        assertThat(find(third, "a").hostnames()).hasSize(1);
    }

    @Test
    void onlyWhatIsNamedIsLookedAt() throws IOException {
        write("a.yaml", route("a"));
        write("sub/b.yaml", route("b"));
        folder.read();
        write("a.yaml", route("c"));
        write("sub/d.yaml", route("d"));
        Files.delete(root.resolve("sub/b.yaml"));
        Path hidden = root.resolve(".git/x.yaml");
        write(".git/x.yaml", route("x"));
        assertThat(names(folder.read(List.of(hidden)))).containsExactly("default/a", "default/b");
        assertThat(names(folder.read(List.of(root.resolve("a.yaml"))))).containsExactly("default/b", "default/c");
        assertThat(names(folder.read(List.of(root.resolve("sub"))))).containsExactly("default/c", "default/d");
        Files.delete(root.resolve("a.yaml"));
        assertThat(names(folder.read(List.of(root.resolve("a.yaml"))))).containsExactly("default/d");
        assertThat(names(folder.read(List.of(Path.of("/elsewhere"))))).containsExactly("default/d");
        assertThat(names(folder.read(List.of(root.resolve("new/folder"))))).containsExactly("default/d");
    }

    @Test
    void theNextOfOneNameTakesOver() throws IOException {
        write("a.yaml", route("x"));
        write("b.yaml", route("x") + "  hostnames: [b.example.com]\n");
        folder.read();
        Files.delete(root.resolve("a.yaml"));
        Reading reading = folder.read();
        assertThat(reading.findings()).isEmpty();
        assertThat(find(reading, "x").hostnames()).hasSize(1);
    }

    @Test
    void aFolderThatCannotBeReadKeepsWhatItHeld() throws IOException {
        write("sub/a.yaml", route("a"));
        write("b.yaml", route("b"));
        folder.read();
        Files.delete(root.resolve("sub/a.yaml"));
        Files.delete(root.resolve("sub"));
        Files.createSymbolicLink(root.resolve("sub"), root);
        assertThat(said()).containsExactly("DIR/sub: cannot be read: a link back to a folder that it is in: remove it");
        assertThat(names()).containsExactly("default/a", "default/b");
    }

    @Test
    void aFileThatChangesTwiceInOneTickOfTheKernelIsReadAgain() throws IOException {
        write("a.yaml", route("a"));
        FileTime tick = Files.getLastModifiedTime(root.resolve("a.yaml"));
        now = tick.toInstant();
        folder.read();
        Files.writeString(root.resolve("a.yaml"), route("b"));
        Files.setLastModifiedTime(root.resolve("a.yaml"), tick);
        now = now.plus(Duration.ofSeconds(1));
        folder.read();
        assertThat(names()).containsExactly("default/b");
    }

    @Test
    void aSnapshotThatWasChangedEqualsOneFromScratch() throws IOException {
        for (int i = 0; i < 40; i++) {
            write("f" + i + ".yaml", route("r" + i));
        }
        folder.read();
        for (int i = 0; i < 40; i += 7) {
            write("f" + i + ".yaml", route("s" + i));
        }
        assertThat(folder.read().snapshot())
                .isEqualTo(Folder.at(root, () -> now).read().snapshot());
    }

    private List<String> said() {
        return folder.read().findings().stream()
                .map(Finding::toString)
                .map(text -> text.replace(root.toString(), "DIR"))
                .toList();
    }

    private List<String> names() {
        return names(folder.read());
    }

    private static List<String> names(Reading reading) {
        return reading.snapshot().all(HttpRoute.class).stream()
                .map(route -> route.meta().name().toString())
                .toList();
    }

    private static HttpRoute find(Reading reading, String name) {
        return reading.snapshot()
                .find(HttpRoute.class, new Name("default", name))
                .orElseThrow();
    }

    /** Each file is older than the clock says by much, and no two are of one age. */
    private void write(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        now = now.plus(Duration.ofMinutes(1));
        Files.setLastModifiedTime(file, FileTime.from(now));
        now = now.plus(Duration.ofMinutes(1));
    }

    private static String route(String name) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s}
                spec:
                  parentRefs: [{name: gw}]
                """.formatted(name);
    }
}
