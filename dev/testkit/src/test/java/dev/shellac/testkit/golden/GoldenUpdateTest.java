package dev.shellac.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The update switch makes the files right and the build red. */
final class GoldenUpdateTest {
    private static final String NEVER = "an update never passes";

    @TempDir
    private Path root;

    private CaseWriter cases;

    @BeforeEach
    void start() {
        cases = new CaseWriter(root).goodCase("word", "one\n");
    }

    private SuiteRun run(GoldenMode mode) {
        return SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly).tests(mode));
    }

    @Test
    void aDifferenceIsWrittenAndTheRunFailsNamingIt() {
        cases.file("word/out/loud.txt", "old\n");
        SuiteRun update = run(GoldenMode.UPDATE);
        assertThat(update.failed()).containsExactly(NEVER);
        assertThat(update.onlyFailure()).contains("wrote   " + root.resolve("word/out/loud.txt"));
        assertThat(cases.text("word/out/loud.txt")).isEqualTo("ONE\n");
        assertThat(run(GoldenMode.CHECK).failed()).isEmpty();
    }

    @Test
    void aMissingExpectationIsWritten() {
        cases.without("word/out/loud.txt").without("word/out");
        assertThat(run(GoldenMode.UPDATE).failed()).containsExactly(NEVER);
        assertThat(run(GoldenMode.CHECK).failed()).isEmpty();
    }

    @Test
    void anExpectationThatIsNotTextIsReplaced() {
        cases.bytes("word/out/loud.txt", (byte) 0xff);
        assertThat(run(GoldenMode.UPDATE).failed()).containsExactly(NEVER);
        assertThat(run(GoldenMode.CHECK).failed()).isEmpty();
    }

    @Test
    void aStrayOutputIsDeleted() {
        cases.file("word/out/old.txt", "from last year");
        assertThat(run(GoldenMode.UPDATE).onlyFailure()).contains("deleted " + root.resolve("word/out/old.txt"));
        assertThat(run(GoldenMode.CHECK).failed()).isEmpty();
    }

    @Test
    void itFailsEvenWithNothingToDo() {
        assertThat(run(GoldenMode.UPDATE).onlyFailure()).contains("No file changed");
    }

    @Test
    void aSubjectThatThrowsChangesNothing() {
        cases.file("word/out/old.txt", "keep me");
        SuiteRun update = SuiteRun.of(GoldenSuite.at(root, input -> {
                    throw new IllegalStateException("broken");
                })
                .tests(GoldenMode.UPDATE));
        assertThat(update.failed()).containsExactly("word / runs", NEVER);
        assertThat(cases.has("word/out/old.txt")).isTrue();
        assertThat(cases.has("word/out/loud.txt")).isTrue();
    }

    @Test
    void anUnreadInputStillFails() {
        cases.file("word/in/more.txt", "unread");
        assertThat(run(GoldenMode.UPDATE).failed()).containsExactly("word / no unread file in in/", NEVER);
        assertThat(cases.has("word/in/more.txt")).isTrue();
    }

    @Test
    void outputsOnRequestAndOfOtherSuitesAreNotInvented() {
        SuiteRun update = SuiteRun.of(GoldenSuite.at(
                        root,
                        input -> List.of(
                                GoldenOutput.always("loud.txt", GoldenSuiteTest.loud(input.text("word.txt"))),
                                GoldenOutput.onRequest("quiet.txt", () -> "never"),
                                GoldenOutput.elsewhere("other.txt")))
                .tests(GoldenMode.UPDATE));
        assertThat(update.onlyFailure()).contains("No file changed");
        assertThat(cases.has("word/out/quiet.txt")).isFalse();
        assertThat(cases.has("word/out/other.txt")).isFalse();
    }

    @Test
    void theSwitchIsTheSystemProperty() {
        cases.file("word/out/loud.txt", "old\n");
        String before = System.getProperty("golden");
        try {
            System.setProperty("golden", "update");
            SuiteRun update =
                    SuiteRun.of(GoldenSuite.at(root, GoldenSuiteTest::loudly).tests());
            assertThat(update.failed()).containsExactly(NEVER);
        } finally {
            if (before == null) {
                System.clearProperty("golden");
            } else {
                System.setProperty("golden", before);
            }
        }
        assertThat(cases.text("word/out/loud.txt")).isEqualTo("ONE\n");
    }

    @Test
    void aMistypedSwitchIsNotACheck() {
        assertThat(GoldenMode.parse(null)).isEqualTo(GoldenMode.CHECK);
        assertThat(GoldenMode.parse("update")).isEqualTo(GoldenMode.UPDATE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GoldenMode.parse("udpate"))
                .withMessageContaining("-Dgolden=udpate");
    }
}
