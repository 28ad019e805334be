package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/** What becomes of the difference between what a case expects and what came out. */
sealed interface Verdict permits Checking, Updating {
    void on(Path expected, String actual) throws IOException;

    void onStray(Collection<Path> files) throws IOException;
}
