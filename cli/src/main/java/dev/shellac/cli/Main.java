package dev.shellac.cli;

import java.io.Console;
import java.util.Optional;
import picocli.CommandLine.Help.Ansi;

/** The process: environment in, exit code out. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(Shellac.commandLine(colours()).execute(arguments));
    }

    // The launcher knows whether standard output is a terminal; without it Java knows of input and output together.
    private static Ansi colours() {
        String noColor = System.getenv("NO_COLOR");
        boolean terminal = switch (System.getProperty("shellac.terminal", "unknown")) {
            case "yes" -> true;
            case "no" -> false;
            default ->
                Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .isPresent();
        };
        return terminal && (noColor == null || noColor.isEmpty()) ? Ansi.ON : Ansi.OFF;
    }
}
