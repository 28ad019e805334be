package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.stream.Collectors;
import org.opentest4j.AssertionFailedError;

/** Every difference fails, with what to look at and how to accept it. */
record Checking() implements Verdict {
    private static final String BLESS =
            "If this is right, run the test again with -Dgolden=update and review the diff.";

    @Override
    public void on(Path expected, String actual) throws IOException {
        if (!TextFile.isFile(expected)) {
            throw new AssertionFailedError(
                    expected + " is missing. " + BLESS + "\n" + TextDiff.unified(expected.toString(), "", actual));
        }
        String before = TextFile.read(expected);
        if (!before.equals(actual)) {
            throw new AssertionFailedError(
                    expected + " differs from what came out. " + BLESS + "\n"
                            + TextDiff.unified(expected.toString(), before, actual),
                    before,
                    actual);
        }
    }

    @Override
    public void onStray(Collection<Path> files) {
        if (!files.isEmpty()) {
            throw new AssertionFailedError(
                    files.stream().map(Path::toString).collect(Collectors.joining("\n", "Nothing writes:\n", "\n"))
                            + "Remove them, or run the test again with -Dgolden=update, which does.");
        }
    }
}
