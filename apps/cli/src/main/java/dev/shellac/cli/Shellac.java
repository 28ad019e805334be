package dev.shellac.cli;

import dev.shellac.cli.run.RunCommand;
import dev.shellac.model.Name;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command and all that it can do. */
@Command(
        name = "shellac",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Version.class,
        header = "Varnish in front of Kubernetes, without Kubernetes.",
        description = "Reads Gateway API objects from a folder of YAML: checks, explains, translates and serves them.",
        footer = {
            "",
            "Examples:",
            "  shellac check examples/quickstart",
            "  shellac explain examples/quickstart GET http://localhost:8080/canary",
            "  shellac COMMAND --help"
        },
        subcommands = {
            RunCommand.class,
            CheckCommand.class,
            StatusCommand.class,
            ExplainCommand.class,
            TranslateCommand.class,
            CompletionCommand.class,
            EchoCommand.class
        })
public final class Shellac implements Runnable {
    private static final int WIDTH = 100;

    @Spec
    private CommandSpec spec;

    private Shellac() {}

    /** Without a command. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command");
    }

    /** The command line, ready to be executed. */
    public static CommandLine commandLine(Ansi ansi) {
        CommandLine line = new CommandLine(new Shellac())
                .setColorScheme(Help.defaultColorScheme(ansi))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Name.class, new Names())
                .setUsageHelpWidth(WIDTH)
                .setParameterExceptionHandler(Shellac::misunderstood)
                .setExecutionExceptionHandler(Shellac::fault);
        exitCodes(line.getCommandSpec());
        return line;
    }

    // One line that says what is wrong, and where to read on: the whole usage would push it off the screen.
    private static int misunderstood(CommandLine.ParameterException mistake, String[] arguments) {
        CommandLine line = mistake.getCommandLine();
        PrintWriter err = line.getErr();
        err.println(line.getColorScheme().errorText("shellac: " + mistake.getMessage()));
        CommandLine.UnmatchedArgumentException.printSuggestions(mistake, err);
        err.println("See: " + line.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    // A user's mistake is a value by now; what is thrown is ours, and its trace is what we need.
    private static int fault(Exception fault, CommandLine line, CommandLine.ParseResult parsed) {
        PrintWriter err = line.getErr();
        err.println(line.getColorScheme().errorText("shellac: a fault in shellac itself, please report it: " + fault));
        fault.printStackTrace(err);
        return ExitCode.FAULT;
    }

    private static void exitCodes(CommandSpec spec) {
        UsageMessageSpec usage = spec.usageMessage();
        var codes = new LinkedHashMap<String, String>();
        ExitCode.WORDS.forEach(words -> {
            int colon = words.indexOf(':');
            codes.put(words.substring(0, colon), words.substring(colon + 1));
        });
        usage.exitCodeListHeading("%nExit codes:%n").exitCodeList(codes);
        spec.subcommands().values().forEach(command -> exitCodes(command.getCommandSpec()));
    }
}
