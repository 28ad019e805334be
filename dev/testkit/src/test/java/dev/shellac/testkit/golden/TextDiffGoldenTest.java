package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** The harness on a subject of its own, and the example to copy. */
final class TextDiffGoldenTest {
    @TestFactory
    Stream<DynamicNode> diffs() {
        return GoldenSuite.at(Path.of("src/test/resources/golden/diff"), TextDiffGoldenTest::diff)
                .withDistinctOutputs()
                .tests();
    }

    private static List<GoldenOutput> diff(GoldenCase input) throws IOException {
        String title =
                input.options().map(String::strip).orElse("title: before").replaceFirst("^title: ", "");
        String diff = TextDiff.unified(title, input.text("before.txt"), input.text("after.txt"));
        return List.of(GoldenOutput.always("diff.txt", diff + "\n"));
    }
}
