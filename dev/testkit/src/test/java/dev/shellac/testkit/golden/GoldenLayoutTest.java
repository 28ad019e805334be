package dev.shellac.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A malformed layout is one failing test that names the path, and hides no well-formed case. */
final class GoldenLayoutTest {
    @TempDir
    private Path root;

    private CaseWriter cases;

    @BeforeEach
    void start() {
        cases = new CaseWriter(root).goodCase("good", "fine\n");
    }

    private void failsOnce(String test, String message) {
        SuiteRun run = SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly).tests(GoldenMode.CHECK));
        assertThat(run.failed()).containsExactly(test);
        assertThat(run.onlyFailure()).contains(message);
        assertThat(run.tests()).contains("good / out/loud.txt");
    }

    private String at(String name) {
        return root.resolve(name).toString();
    }

    @Test
    void aRootThatIsNotThere() {
        Path nowhere = root.resolve("nowhere");
        SuiteRun run =
                SuiteRun.of(GoldenSuite.at(nowhere, GoldenSuiteTest::loudly).tests(GoldenMode.CHECK));
        assertThat(run.onlyFailure()).contains(nowhere + " is not a folder");
    }

    @Test
    void aRootWithNothingInIt(@TempDir Path empty) {
        SuiteRun run =
                SuiteRun.of(GoldenSuite.at(empty, GoldenSuiteTest::loudly).tests(GoldenMode.CHECK));
        assertThat(run.onlyFailure()).contains(empty + " is empty");
    }

    @Test
    void aFileWhereACaseIsExpected() {
        cases.file("group/notes.txt", "");
        failsOnce("group / notes.txt", at("group/notes.txt") + " is not a folder");
    }

    @Test
    void anEmptyFolder() {
        cases.folder("hollow");
        failsOnce("hollow / layout", at("hollow") + " is empty");
    }

    @Test
    void aLinkInPlaceOfACase() throws IOException {
        Files.createSymbolicLink(root.resolve("loop"), root);
        failsOnce("loop", at("loop") + " is not a folder");
    }

    @Test
    void noStory() {
        cases.goodCase("word", "one\n").without("word/case.md");
        failsOnce("word / layout", at("word/case.md") + " is missing");
    }

    @Test
    void aBlankStory() {
        cases.goodCase("word", "one\n").file("word/case.md", "  \n\n");
        failsOnce("word / layout", at("word/case.md") + " has 0 lines");
    }

    @Test
    void aStoryThatIsTooLong() {
        cases.goodCase("word", "one\n").file("word/case.md", "1\n2\n\n3\n4\n");
        failsOnce("word / layout", at("word/case.md") + " has 4 lines");
    }

    @Test
    void aStoryThatIsNotText() {
        cases.goodCase("word", "one\n").bytes("word/case.md", (byte) 0xff);
        failsOnce("word / layout", at("word/case.md") + " is not UTF-8");
    }

    @Test
    void aStoryThatIsAFolder() {
        cases.goodCase("word", "one\n").without("word/case.md").folder("word/case.md");
        failsOnce("word / layout", at("word/case.md") + " must be a file");
    }

    @Test
    void inputThatIsAFile() {
        cases.goodCase("word", "one\n")
                .without("word/in/word.txt")
                .without("word/in")
                .file("word/in", "one\n");
        failsOnce("word / layout", at("word/in") + " must be a folder");
    }

    @Test
    void outputThatIsAFile() {
        cases.goodCase("word", "one\n")
                .without("word/out/loud.txt")
                .without("word/out")
                .file("word/out", "ONE\n");
        failsOnce("word / layout", at("word/out") + " must be a folder");
    }

    @Test
    void aFileThatIsNoPartOfACase() {
        cases.goodCase("word", "one\n").file("word/option.yaml", "");
        failsOnce("word / layout", at("word/option.yaml") + " is not part of a case");
    }

    @Test
    void noInput() {
        cases.goodCase("word", "one\n").without("word/in/word.txt").without("word/in");
        failsOnce("word / layout", at("word/in") + " is missing");
    }

    @Test
    void emptyInput() {
        cases.goodCase("word", "one\n").without("word/in/word.txt");
        failsOnce("word / layout", at("word/in") + " is empty");
    }

    @Test
    void inputBothHereAndElsewhere() {
        SuiteRun run = SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly)
                .withInputsFrom(name -> Optional.of(CaseInputs.folder(root)))
                .tests(GoldenMode.CHECK));
        assertThat(run.onlyFailure()).contains(at("good/in") + " exists, but");
    }

    @Test
    void inputElsewhereThatCannotBeRead() {
        SuiteRun run = SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly)
                .withInputsFrom(name -> {
                    throw new IOException("the suite's module is not there");
                })
                .tests(GoldenMode.CHECK));
        assertThat(run.onlyFailure()).contains("the suite's module is not there");
    }

    @Test
    void inputThatIsNotText() {
        cases.goodCase("word", "one\n").bytes("word/in/word.txt", (byte) 'a', (byte) 0xc3);
        failsOnce("word / runs", at("word/in/word.txt") + " is not UTF-8");
    }

    @Test
    void anExpectationThatIsNotText() {
        cases.goodCase("word", "one\n").bytes("word/out/loud.txt", (byte) 0xff);
        failsOnce("word / out/loud.txt", at("word/out/loud.txt") + " is not UTF-8");
    }

    @Test
    void aCaseThatHoldsNothing() {
        cases.without("good/out/loud.txt");
        SuiteRun run = SuiteRun.of(GoldenSuite.at(
                        root, input -> List.of(GoldenOutput.onRequest("quiet.txt", () -> input.text("word.txt"))))
                .tests(GoldenMode.CHECK));
        assertThat(run.onlyFailure()).contains(at("good/out"), "holds nothing", "quiet.txt");
    }
}
