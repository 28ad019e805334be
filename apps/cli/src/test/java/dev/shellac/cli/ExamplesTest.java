package dev.shellac.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine.Help.Ansi;

/** Every example is clean, says what it is for, and serves what its {@code expect.txt} says. */
final class ExamplesTest {
    private static final Path EXAMPLES = Path.of("../../examples");

    @TestFactory
    List<DynamicNode> examples() throws IOException {
        var tests = new ArrayList<DynamicNode>();
        for (Path example : folders()) {
            tests.add(DynamicContainer.dynamicContainer(String.valueOf(example.getFileName()), tests(example)));
        }
        assertThat(tests).hasSizeGreaterThan(6);
        return tests;
    }

    @Test
    void thePageListsThemAll() throws IOException {
        String page = Files.readString(Path.of("../../docs/examples.md"));
        for (Path example : folders()) {
            assertThat(page).contains("(../examples/" + example.getFileName() + "/)");
        }
    }

    private static List<Path> folders() throws IOException {
        try (Stream<Path> found = Files.list(EXAMPLES)) {
            return found.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static List<DynamicNode> tests(Path example) throws IOException {
        var tests = new ArrayList<DynamicNode>();
        tests.add(DynamicTest.dynamicTest(
                "has a README", () -> assertThat(example.resolve("README.md")).exists()));
        tests.add(DynamicTest.dynamicTest("is clean", () -> {
            Typed checked = Typed.run("check", example.toString());
            assertThat(checked.out()).endsWith("nothing wrong\n").hasLineCount(1);
            assertThat(checked.code()).isEqualTo(ExitCode.OK);
        }));
        List<String> expected = Files.readAllLines(example.resolve("expect.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        assertThat(expected).isNotEmpty();
        for (String line : expected) {
            int arrow = line.lastIndexOf(" => ");
            tests.add(DynamicTest.dynamicTest(line, () -> {
                var words = new ArrayList<>(List.of("explain", "--short", example.toString()));
                words.addAll(Typed.words(line.substring(0, arrow)));
                assertThat(Typed.run(Ansi.OFF, words).out().strip()).isEqualTo(line.substring(arrow + 4));
            }));
        }
        return tests;
    }
}
