package dev.shellac.cli;

import dev.shellac.cli.folder.Folder;
import dev.shellac.cli.folder.Reading;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Everything that is wrong with a folder. */
@Command(name = "check", header = "Everything that is wrong with a folder, with file and line.")
final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder.")
    private Path folder = Path.of("");

    @Override
    public Integer call() {
        Reading reading = Folder.at(folder, InstantSource.system()).read();
        reading.findings().forEach(spec.commandLine().getOut()::println);
        return reading.errors().isEmpty() ? ExitCode.OK : ExitCode.REFUSED;
    }
}
