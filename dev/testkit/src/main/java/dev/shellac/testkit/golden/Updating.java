package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.AssertionFailedError;

/** Every difference is accepted and remembered; the run as a whole then fails, whatever it found. */
record Updating(Set<String> changes) implements Verdict {
    Updating() {
        this(new ConcurrentSkipListSet<>());
    }

    @Override
    public void on(Path expected, String actual) throws IOException {
        byte[] bytes = actual.getBytes(StandardCharsets.UTF_8);
        if (TextFile.isFile(expected) && Arrays.equals(Files.readAllBytes(expected), bytes)) {
            return;
        }
        TextFile.write(expected, actual);
        changes.add("wrote   " + expected);
    }

    @Override
    public void onStray(Collection<Path> files) throws IOException {
        for (Path file : files) {
            Files.delete(file);
            changes.add("deleted " + file);
        }
    }

    /** The last test of an update: it fails even when nothing changed, so no build passes with the switch on. */
    DynamicTest neverPasses() {
        return DynamicTest.dynamicTest("an update never passes", () -> {
            String what = changes.isEmpty() ? "No file changed." : String.join("\n", changes);
            throw new AssertionFailedError("Golden files were updated, which fails the build on purpose.\n" + what
                    + "\nReview the diff and run again without -Dgolden=update.");
        });
    }
}
