package dev.shellac.testkit.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.AssertionFailedError;

/** The folders below a suite's root: groups hold groups and cases, and nothing else. */
record CaseTree(Path root) {

    /** One container per folder; a case's own nodes are made when JUnit gets to it, not before. */
    Stream<DynamicNode> nodes(Function<CaseFolder, Stream<DynamicNode>> testsOf) {
        return group(root, testsOf);
    }

    /** Every case, in the order in which it runs. */
    List<CaseFolder> cases() throws IOException {
        return TextFile.isFolder(root) ? casesBelow(root).toList() : List.of();
    }

    private Stream<CaseFolder> casesBelow(Path folder) throws IOException {
        var found = Stream.<CaseFolder>builder();
        for (Path entry : TextFile.entries(folder)) {
            if (CaseFolder.looksLikeOne(entry)) {
                found.add(caseAt(entry));
            } else if (TextFile.isFolder(entry)) {
                casesBelow(entry).forEach(found);
            }
        }
        return found.build();
    }

    private Stream<DynamicNode> group(Path folder, Function<CaseFolder, Stream<DynamicNode>> testsOf) {
        if (!TextFile.isFolder(folder)) {
            return failing("layout", folder + " is not a folder: cases were expected below it");
        }
        try {
            List<Path> entries = TextFile.entries(folder);
            if (entries.isEmpty()) {
                return failing("layout", folder + " is empty: a case or a group of cases was expected in it");
            }
            return entries.stream().flatMap(entry -> entry(entry, testsOf));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Stream<DynamicNode> entry(Path entry, Function<CaseFolder, Stream<DynamicNode>> testsOf) {
        String name = TextFile.nameOf(entry);
        if (!TextFile.isFolder(entry)) {
            return failing(name, entry + " is not a folder: only cases and groups of cases belong here");
        }
        Stream<DynamicNode> inside = Stream.of(entry)
                .flatMap(folder ->
                        CaseFolder.looksLikeOne(folder) ? testsOf.apply(caseAt(folder)) : group(folder, testsOf));
        return Stream.of(DynamicContainer.dynamicContainer(name, entry.toUri(), inside));
    }

    private CaseFolder caseAt(Path folder) {
        return new CaseFolder(TextFile.slashed(root.relativize(folder)), folder);
    }

    private static Stream<DynamicNode> failing(String name, String message) {
        return Stream.of(DynamicTest.dynamicTest(name, () -> {
            throw new AssertionFailedError(message);
        }));
    }
}
