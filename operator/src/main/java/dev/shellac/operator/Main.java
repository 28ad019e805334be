package dev.shellac.operator;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The process: flags and environment in, until a signal. */
@Command(
        name = "shellac-operator",
        mixinStandardHelpOptions = true,
        description = "Makes the Gateways of a cluster: configuration, pods and statuses.")
public final class Main implements Callable<Integer> {
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() {
        return 0;
    }
}
