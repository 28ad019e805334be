package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;
import org.opentest4j.AssertionFailedError;

/** The tests of one case. The subject runs once, before any of them, so their order cannot matter. */
record CaseTests(CaseFolder folder, GoldenSubject subject, InputSource elsewhere, Verdict verdict) {

    Stream<DynamicNode> nodes() {
        try {
            List<String> faults = folder.faults();
            if (!faults.isEmpty()) {
                return Stream.of(failing("layout", new AssertionFailedError(String.join("\n", faults))));
            }
            return ran(new GoldenCase(folder.name(), folder.inputs(elsewhere), folder.options()));
        } catch (Exception | AssertionError e) {
            return Stream.of(failing("layout", e));
        }
    }

    private Stream<DynamicNode> ran(GoldenCase input) throws IOException {
        SortedMap<String, GoldenOutput> produced;
        try {
            produced = byName(subject.run(input));
        } catch (Exception | AssertionError e) {
            return Stream.of(failing("runs", e));
        }
        SortedMap<String, Path> present = folder.outputs();
        if (present.isEmpty() && produced.values().stream().noneMatch(GoldenOutput.Always.class::isInstance)) {
            return Stream.of(failing("layout", holdsNothing(produced)));
        }
        Stream<DynamicNode> files = produced.values().stream().flatMap(output -> test(output, present));
        // Collected first: an output made on request may read inputs, and the next test counts what was read.
        List<DynamicNode> evaluated = files.toList();
        return Stream.concat(evaluated.stream(), Stream.of(noUnread(input), noStray(produced, present)));
    }

    private Stream<DynamicTest> test(GoldenOutput output, SortedMap<String, Path> present) {
        return switch (output) {
            case GoldenOutput.Always(String name, String text) -> Stream.of(holds(name, text));
            case GoldenOutput.OnRequest request when !present.containsKey(request.name()) -> Stream.empty();
            case GoldenOutput.OnRequest request -> Stream.of(evaluated(request));
            case GoldenOutput.Elsewhere other -> Stream.empty();
        };
    }

    private DynamicTest evaluated(GoldenOutput.OnRequest request) {
        try {
            return holds(request.name(), request.text().call());
        } catch (Exception | AssertionError e) {
            return failing("out/" + request.name(), e);
        }
    }

    private DynamicTest holds(String outputName, String text) {
        Path expected = folder.out(outputName);
        return test("out/" + outputName, expected, () -> verdict.on(expected, text));
    }

    private DynamicTest noUnread(GoldenCase input) {
        return test("no unread file in in/", folder.path(), () -> {
            if (!input.unread().isEmpty()) {
                throw new AssertionFailedError("Nothing reads:\n" + lines(input.unread()));
            }
        });
    }

    private DynamicTest noStray(SortedMap<String, GoldenOutput> produced, SortedMap<String, Path> present) {
        var stray = new TreeMap<>(present);
        stray.keySet().removeAll(produced.keySet());
        return test("no stray file in out/", folder.path(), () -> verdict.onStray(stray.values()));
    }

    private AssertionFailedError holdsNothing(SortedMap<String, GoldenOutput> produced) {
        return new AssertionFailedError(folder.out("") + " is empty, so the case holds nothing. Create the files it is"
                + " about (" + String.join(", ", produced.keySet()) + ") and run again with -Dgolden=update.");
    }

    private static SortedMap<String, GoldenOutput> byName(List<GoldenOutput> outputs) {
        var byName = new TreeMap<String, GoldenOutput>();
        for (GoldenOutput output : outputs) {
            if (byName.put(output.name(), output) != null) {
                throw new AssertionFailedError("The subject says out/" + output.name() + " twice");
            }
        }
        return byName;
    }

    private static String lines(Collection<Path> files) {
        return files.stream().map(Path::toString).collect(Collectors.joining("\n"));
    }

    private static DynamicTest test(String name, Path about, Executable body) {
        return DynamicTest.dynamicTest(name, about.toUri(), body);
    }

    private static DynamicTest failing(String name, Throwable why) {
        return DynamicTest.dynamicTest(name, () -> {
            throw why;
        });
    }
}
