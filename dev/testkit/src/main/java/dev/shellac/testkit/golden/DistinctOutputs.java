package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.AssertionFailedError;

/** Compares what the cases expect, as it is on disk: that each case also gets it, its own tests hold. */
final class DistinctOutputs {
    private DistinctOutputs() {}

    static DynamicTest test(Path root) {
        return DynamicTest.dynamicTest("no two cases have equal outputs", root.toUri(), () -> check(root));
    }

    private static void check(Path root) throws IOException {
        var casesByOutput = new LinkedHashMap<Map<String, ByteBuffer>, List<Path>>();
        for (CaseFolder folder : new CaseTree(root).cases()) {
            casesByOutput
                    .computeIfAbsent(contents(folder), output -> new ArrayList<>())
                    .add(folder.path());
        }
        String repeats = casesByOutput.entrySet().stream()
                .filter(entry -> !entry.getKey().isEmpty() && entry.getValue().size() > 1)
                .map(entry -> entry.getValue().stream().map(Path::toString).collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n\n"));
        if (!repeats.isEmpty()) {
            throw new AssertionFailedError(
                    "These cases have equal outputs, so one of them holds nothing of its own:\n" + repeats);
        }
    }

    private static Map<String, ByteBuffer> contents(CaseFolder folder) throws IOException {
        var contents = new TreeMap<String, ByteBuffer>();
        for (Map.Entry<String, Path> file : folder.outputs().entrySet()) {
            contents.put(file.getKey(), ByteBuffer.wrap(Files.readAllBytes(file.getValue())));
        }
        return contents;
    }
}
