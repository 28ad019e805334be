package dev.shellac.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a suite does with well-formed cases: pass, or fail and say why. */
final class GoldenSuiteTest {
    @TempDir
    private Path root;

    private CaseWriter cases;

    @BeforeEach
    void start() {
        cases = new CaseWriter(root);
    }

    static String loud(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    static List<GoldenOutput> loudly(GoldenCase input) throws IOException {
        return List.of(GoldenOutput.always("loud.txt", loud(input.text("word.txt"))));
    }

    private SuiteRun check(GoldenSubject subject) {
        return SuiteRun.of(GoldenSuite.at(root, subject).tests(GoldenMode.CHECK));
    }

    @Test
    void foldersBecomeContainersAndEachOutputATestInOrderOfName() {
        cases.goodCase("zebra", "z\n").goodCase("group/b", "b\n").goodCase("group/a", "a\n");
        SuiteRun run = check(GoldenSuiteTest::loudly);
        assertThat(run.failed()).isEmpty();
        assertThat(run.tests())
                .containsExactly(
                        "group / a / out/loud.txt",
                        "group / a / no unread file in in/",
                        "group / a / no stray file in out/",
                        "group / b / out/loud.txt",
                        "group / b / no unread file in in/",
                        "group / b / no stray file in out/",
                        "zebra / out/loud.txt",
                        "zebra / no unread file in in/",
                        "zebra / no stray file in out/");
    }

    @Test
    void aDifferenceFailsWithAUnifiedDiffAndAPathToPaste() {
        cases.goodCase("word", "one\ntwo\n").file("word/out/loud.txt", "ONE\nTOO\n");
        SuiteRun run = check(GoldenSuiteTest::loudly);
        assertThat(run.failed()).containsExactly("word / out/loud.txt");
        assertThat(run.onlyFailure())
                .contains(root.resolve("word/out/loud.txt") + " differs")
                .contains("-Dgolden=update")
                .contains("--- " + root.resolve("word/out/loud.txt"), "@@ -1,2 +1,2 @@", " ONE\n-TOO\n+TWO");
        assertThat(cases.text("word/out/loud.txt")).isEqualTo("ONE\nTOO\n");
    }

    @Test
    void oneFailingCaseLeavesTheOthersAlone() {
        cases.goodCase("bad", "x\n").file("bad/out/loud.txt", "y\n").goodCase("good", "x\n");
        assertThat(check(GoldenSuiteTest::loudly).failed()).containsExactly("bad / out/loud.txt");
    }

    @Test
    void aMissingExpectationFailsAndSaysHowToBless() {
        cases.goodCase("word", "one\n").without("word/out/loud.txt");
        assertThat(check(GoldenSuiteTest::loudly).onlyFailure())
                .contains(root.resolve("word/out/loud.txt") + " is missing", "-Dgolden=update", "+ONE");
        assertThat(cases.has("word/out/loud.txt")).isFalse();
    }

    @Test
    void anUnreadInputFails() {
        cases.goodCase("word", "one\n").file("word/in/deep/more.txt", "unread");
        SuiteRun run = check(GoldenSuiteTest::loudly);
        assertThat(run.failed()).containsExactly("word / no unread file in in/");
        assertThat(run.onlyFailure())
                .contains(root.resolve("word/in/deep/more.txt").toString());
    }

    @Test
    void unreadOptionsFail() {
        cases.goodCase("word", "one\n").file("word/options.yaml", "volume: 11\n");
        assertThat(check(GoldenSuiteTest::loudly).onlyFailure())
                .contains(root.resolve("word/options.yaml").toString());
    }

    @Test
    void aStrayOutputFails() {
        cases.goodCase("word", "one\n").file("word/out/old.txt", "from last year");
        SuiteRun run = check(GoldenSuiteTest::loudly);
        assertThat(run.failed()).containsExactly("word / no stray file in out/");
        assertThat(run.onlyFailure()).contains(root.resolve("word/out/old.txt").toString());
        assertThat(cases.has("word/out/old.txt")).isTrue();
    }

    @Test
    void anExceptionFailsItsCaseWithItsOwnWords() {
        cases.goodCase("word", "one\n");
        SuiteRun run = check(input -> {
            throw new IllegalStateException("no such volume");
        });
        assertThat(run.failed()).containsExactly("word / runs");
        assertThat(run.onlyFailure()).contains("no such volume");
    }

    @Test
    void anUnknownInputNamesTheOnesThereAre() {
        cases.goodCase("word", "one\n");
        assertThat(check(input -> List.of(GoldenOutput.always("loud.txt", input.text("wrod.txt"))))
                        .onlyFailure())
                .contains("case word has no input wrod.txt, only word.txt");
    }

    @Test
    void anOutputSaidTwiceFails() {
        cases.goodCase("word", "one\n");
        assertThat(check(input -> List.of(GoldenOutput.always("a", "1"), GoldenOutput.always("a", "2")))
                        .onlyFailure())
                .contains("out/a twice");
    }

    @Test
    void outputsOnRequestAreMadeOnlyForCasesThatHoldThem() {
        cases.goodCase("with", "one\n").file("with/out/quiet.txt", "wrong\n").goodCase("without", "two\n");
        SuiteRun run = check(input -> List.of(
                GoldenOutput.always("loud.txt", loud(input.text("word.txt"))),
                GoldenOutput.onRequest("quiet.txt", () -> input.text("word.txt"))));
        assertThat(run.tests()).contains("with / out/quiet.txt").doesNotContain("without / out/quiet.txt");
        assertThat(run.onlyFailure()).contains("-wrong\n+one");
    }

    @Test
    void anInputReadOnlyByAnOutputOnRequestIsRead() {
        cases.goodCase("word", "one\n").file("word/out/quiet.txt", "one\n").without("word/out/loud.txt");
        SuiteRun run = check(input -> List.of(GoldenOutput.onRequest("quiet.txt", () -> input.text("word.txt"))));
        assertThat(run.failed()).isEmpty();
    }

    @Test
    void aFailingOutputOnRequestFailsAlone() {
        cases.goodCase("word", "one\n").file("word/out/quiet.txt", "one\n");
        SuiteRun run = check(input -> List.of(
                GoldenOutput.always("loud.txt", loud(input.text("word.txt"))),
                GoldenOutput.onRequest("quiet.txt", () -> {
                    throw new IllegalStateException("cannot whisper");
                })));
        assertThat(run.failed()).containsExactly("word / out/quiet.txt");
        assertThat(run.onlyFailure()).contains("cannot whisper");
    }

    @Test
    void filesOfAnotherSuiteAreNeitherCheckedNorStray() {
        cases.goodCase("word", "one\n").file("word/out/other.txt", "whatever");
        SuiteRun run = check(input -> List.of(
                GoldenOutput.always("loud.txt", loud(input.text("word.txt"))), GoldenOutput.elsewhere("other.txt")));
        assertThat(run.failed()).isEmpty();
        assertThat(run.tests()).doesNotContain("word / out/other.txt");
    }

    @Test
    void optionsAndAllTextsReachTheSubject() {
        cases.goodCase("word", "one\n")
                .file("word/in/deep/more.txt", "two\n")
                .file("word/options.yaml", "volume: 11\n")
                .file("word/out/loud.txt", "{deep/more.txt=two\n, word.txt=one\n}volume: 11\nword");
        SuiteRun run = check(input -> List.of(
                GoldenOutput.always("loud.txt", input.texts() + input.options().orElse("") + input.name())));
        assertThat(run.failed()).isEmpty();
    }

    @Test
    void inputMayComeFromElsewhere(@TempDir Path suite) {
        new CaseWriter(suite).file("tests/matching.yaml", "one\n").file("tests/unrelated.yaml", "never asked for");
        cases.file("conformance/Matching/case.md", "From the suite.\n")
                .file("conformance/Matching/out/loud.txt", "ONE\n");
        InputSource source = name -> name.equals("conformance/Matching")
                ? Optional.of(CaseInputs.of(Map.of("word.txt", suite.resolve("tests/matching.yaml"))))
                : Optional.empty();
        SuiteRun run = SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly)
                .withInputsFrom(source)
                .tests(GoldenMode.CHECK));
        assertThat(run.tests()).contains("conformance / Matching / out/loud.txt");
        assertThat(run.failed()).isEmpty();
    }

    @Test
    void inputFromElsewhereMustBeReadToo(@TempDir Path suite) {
        new CaseWriter(suite).file("word.txt", "one\n").file("more.txt", "unread");
        cases.goodCase("word", "one\n").without("word/in/word.txt").without("word/in");
        SuiteRun run = SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly)
                .withInputsFrom(name -> Optional.of(CaseInputs.folder(suite)))
                .tests(GoldenMode.CHECK));
        assertThat(run.onlyFailure()).contains(suite.resolve("more.txt").toString());
    }

    @Test
    void equalOutputsFailWhereASuiteAsksForIt() {
        cases.goodCase("a", "same\n").goodCase("deep/b", "same\n").goodCase("c", "other\n");
        assertThat(check(GoldenSuiteTest::loudly).failed()).isEmpty();
        SuiteRun run = SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly)
                .withDistinctOutputs()
                .tests(GoldenMode.CHECK));
        assertThat(run.failed()).containsExactly("no two cases have equal outputs");
        assertThat(run.onlyFailure())
                .contains(root.resolve("a") + "\n" + root.resolve("deep/b"))
                .doesNotContain(root.resolve("c").toString());
    }

    @Test
    void outputNamesStayInsideOut() {
        for (String name : List.of("../case.md", "/etc/passwd", "a//b", "", "a\\b", "./a")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GoldenOutput.always(name, ""))
                    .withMessageContaining("'" + name + "'");
        }
    }
}
