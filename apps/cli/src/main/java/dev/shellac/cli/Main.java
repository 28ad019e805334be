package dev.shellac.cli;

import java.io.Console;
import java.util.Optional;
import picocli.CommandLine.Help.Ansi;

/** The process: environment in, exit code out. */
public final class Main {
    private static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

    private Main() {}

    public static void main(String[] arguments) {
        if (System.getProperty(LOG_FORMAT) == null) {
            System.setProperty(LOG_FORMAT, "%1$tFT%1$tT.%1$tL %4$-7s %5$s%6$s%n");
        }
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
