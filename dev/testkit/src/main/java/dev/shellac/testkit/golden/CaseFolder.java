package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.opentest4j.AssertionFailedError;

/** A case on disk: {@code case.md}, {@code in/}, {@code options.yaml}, {@code out/}, and nothing else. */
record CaseFolder(String name, Path path) {
    private static final String STORY = "case.md";
    private static final String OPTIONS = "options.yaml";
    private static final String IN = "in";
    private static final String OUT = "out";
    private static final Set<String> FILES = Set.of(STORY, OPTIONS);
    private static final Set<String> FOLDERS = Set.of(IN, OUT);
    private static final int MOST_STORY_LINES = 3;

    /** A folder with any part of a case in it is meant to be one, and is told what it lacks. */
    static boolean looksLikeOne(Path folder) {
        return TextFile.isFolder(folder)
                && (FILES.stream().anyMatch(file -> exists(folder.resolve(file)))
                        || FOLDERS.stream().anyMatch(part -> exists(folder.resolve(part))));
    }

    /** What is wrong with the folder before anything runs, a sentence each. */
    List<String> faults() throws IOException {
        var faults = new ArrayList<String>();
        for (Path entry : TextFile.entries(path)) {
            String entryName = TextFile.nameOf(entry);
            if (FILES.contains(entryName)) {
                if (!TextFile.isFile(entry)) {
                    faults.add(entry + " must be a file");
                }
            } else if (FOLDERS.contains(entryName)) {
                if (!TextFile.isFolder(entry)) {
                    faults.add(entry + " must be a folder");
                }
            } else {
                faults.add(entry + " is not part of a case: case.md, in/, options.yaml and out/ are");
            }
        }
        storyFault().ifPresent(faults::add);
        return faults;
    }

    private Optional<String> storyFault() throws IOException {
        Path story = path.resolve(STORY);
        if (!exists(story)) {
            return Optional.of(story + " is missing: say in 1-3 lines what the case holds, and where that is written");
        }
        if (!TextFile.isFile(story)) {
            return Optional.empty();
        }
        long lines =
                TextFile.read(story).lines().filter(line -> !line.isBlank()).count();
        if (lines >= 1 && lines <= MOST_STORY_LINES) {
            return Optional.empty();
        }
        return Optional.of(story + " has " + lines + " lines of text: 1-3 say what the case holds");
    }

    CaseInputs inputs(InputSource elsewhere) throws Exception {
        Path in = path.resolve(IN);
        Optional<CaseInputs> external = elsewhere.inputsOf(name);
        if (!exists(in)) {
            return external.orElseThrow(
                    () -> new AssertionFailedError(in + " is missing, and the case has no input from elsewhere"));
        }
        if (external.isPresent()) {
            throw new AssertionFailedError(in + " exists, but the case has its input from elsewhere: remove one");
        }
        CaseInputs own = CaseInputs.folder(in);
        if (own.files().isEmpty()) {
            throw new AssertionFailedError(in + " is empty: a case without input holds nothing");
        }
        return own;
    }

    Optional<Path> options() {
        return Optional.of(path.resolve(OPTIONS)).filter(TextFile::isFile);
    }

    Path out(String outputName) {
        return path.resolve(OUT).resolve(outputName);
    }

    SortedMap<String, Path> outputs() throws IOException {
        Path out = path.resolve(OUT);
        return TextFile.isFolder(out) ? TextFile.below(out) : new TreeMap<>();
    }

    private static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }
}
