package dev.shellac.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every block of YAML in the documents is one that the decoder takes without a word. Blocks that are no objects say what they are, and are
 * taken by who reads such: the chart ({@code yaml values}, scripts/test-chart) and {@code bin/image} ({@code yaml image}, scripts/tests).
 */
final class DocumentedYamlTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");
    /** A fence that one of the tests would not find: indented, of other characters, or with other words. */
    private static final Pattern MISSED =
            Pattern.compile("(?mi)^(?!```yaml(?: values| image)?$) *(?:```|~~~) *ya?ml.*$");

    @TestFactory
    List<DynamicNode> blocks() throws IOException {
        var tests = new ArrayList<DynamicNode>();
        for (Path page : pages()) {
            String text = Files.readString(page);
            Matcher block = BLOCK.matcher(text);
            while (block.find()) {
                long line = text.substring(0, block.start()).lines().count() + 1;
                String yaml = block.group(1);
                tests.add(DynamicTest.dynamicTest(ROOT.relativize(page) + ":" + line, () -> {
                    Decoded decoded = Decoder.decode(List.of(Source.of("block.yaml", yaml)));
                    assertThat(decoded.findings()).isEmpty();
                    assertThat(decoded.objects()).isNotEmpty();
                }));
            }
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    @Test
    void noBlockIsMissed() throws IOException {
        for (Path page : pages()) {
            assertThat(MISSED.matcher(Files.readString(page)).results().map(MatchResult::group))
                    .as(page.toString())
                    .isEmpty();
        }
    }

    private static List<Path> pages() throws IOException {
        var pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        for (String folder : List.of("docs", "examples")) {
            try (Stream<Path> found = Files.walk(ROOT.resolve(folder))) {
                found.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        return pages;
    }
}
