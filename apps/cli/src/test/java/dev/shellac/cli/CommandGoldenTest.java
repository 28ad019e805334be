package dev.shellac.cli;

import dev.shellac.testkit.golden.GoldenCase;
import dev.shellac.testkit.golden.GoldenOutput;
import dev.shellac.testkit.golden.GoldenSuite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine.Help.Ansi;

/** Folders and what the commands say of them. {@code in/commands.txt} has a command line each; DIR is the folder that it is in. */
final class CommandGoldenTest {
    private static final String COMMANDS = "commands.txt";

    @TestFactory
    Stream<DynamicNode> cases() {
        return GoldenSuite.at(Path.of("src/test/resources/golden"), CommandGoldenTest::transcript)
                .withDistinctOutputs()
                .tests();
    }

    private static List<GoldenOutput> transcript(GoldenCase input) throws IOException {
        String folder = String.valueOf(input.file(COMMANDS).getParent());
        // The commands read the rest.
        input.inputNames().forEach(input::file);
        var transcript = new StringBuilder();
        for (String command : input.text(COMMANDS).lines().toList()) {
            Typed typed = Typed.run(
                    Ansi.OFF,
                    Typed.words(command).stream()
                            .map(word -> word.replace("DIR", folder))
                            .toList());
            transcript.append("$ shellac ").append(command).append('\n');
            transcript.append(typed.out()).append(typed.err());
            transcript.append("-> ").append(typed.code()).append("\n\n");
        }
        return List.of(GoldenOutput.always(
                "transcript.txt", transcript.toString().replace(folder, "DIR").strip() + "\n"));
    }
}
