package dev.shellac.testkit.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes case folders for the harness's own tests. */
record CaseWriter(Path root) {

    /** A case that upper-cases {@code in/word.txt} and is right about it. */
    CaseWriter goodCase(String name, String word) {
        return file(name + "/case.md", "Words become loud.\n")
                .file(name + "/in/word.txt", word)
                .file(name + "/out/loud.txt", GoldenSuiteTest.loud(word));
    }

    CaseWriter file(String name, String text) {
        try {
            TextFile.write(root.resolve(name), text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CaseWriter bytes(String name, byte... bytes) {
        try {
            file(name, "");
            Files.write(root.resolve(name), bytes);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CaseWriter folder(String name) {
        try {
            Files.createDirectories(root.resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CaseWriter without(String name) {
        try {
            Files.delete(root.resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text(String name) {
        try {
            return TextFile.read(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean has(String name) {
        return Files.exists(root.resolve(name));
    }
}
