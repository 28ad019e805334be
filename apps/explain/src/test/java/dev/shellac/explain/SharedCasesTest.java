package dev.shellac.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The cases that the router is held to, word for word. What the router refuses of a table is taken from the case: whether it
 * is right to refuse it is the router's own business.
 */
final class SharedCasesTest {
    private static final Path CASES = Path.of("../../ghost/ghost-core/tests/cases");

    /** Cases about the normal form of a request's target, which ghost alone has. */
    private static final Set<String> GHOST_ALONE = Set.of(
            "absolute-form-names-the-host",
            "malformed-targets-are-refused",
            "paths-are-matched-in-normal-form",
            "paths-that-match-nothing-are-refused");

    @TestFactory
    List<DynamicNode> cases() throws IOException {
        try (Stream<Path> folders = Files.list(CASES)) {
            List<DynamicNode> tests = folders.filter(Files::isDirectory)
                    .filter(folder -> !GHOST_ALONE.contains(folder.getFileName().toString()))
                    .sorted()
                    .<DynamicNode>map(folder ->
                            DynamicTest.dynamicTest(folder.getFileName().toString(), () -> check(folder)))
                    .toList();
            assertThat(tests).hasSizeGreaterThan(80);
            return tests;
        }
    }

    private static void check(Path folder) throws IOException {
        String expected = Files.readString(folder.resolve("expected.txt"));
        assertThat(SharedCase.run(
                        Files.readString(folder.resolve("table.json")),
                        Files.readString(folder.resolve("requests.txt")),
                        expected))
                .isEqualTo(expected);
    }
}
