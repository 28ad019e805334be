package dev.shellac.cli;

import dev.shellac.cli.show.Output;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every command takes that looks at a folder. */
final class FolderOptions {
    @Parameters(
            index = "0",
            paramLabel = "DIR",
            description = "The folder; every .yaml, .yml and .json file in it and below it is read.")
    private Path folder = Path.of("");

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "text or json. Default: text.")
    private Output output = Output.TEXT;

    Path folder() {
        return folder;
    }

    Output output() {
        return output;
    }
}
