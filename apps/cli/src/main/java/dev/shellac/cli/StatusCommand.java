package dev.shellac.cli;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.LiveReports;
import dev.shellac.cli.analysis.Problem;
import dev.shellac.cli.analysis.RunState;
import dev.shellac.cli.analysis.StatusReport.ListenerRow;
import dev.shellac.cli.analysis.StatusReport.RouteRow;
import dev.shellac.cli.run.StatePlaces;
import dev.shellac.cli.show.Show;
import dev.shellac.cli.show.TextTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Gateways, listeners and routes at a glance. */
@Command(
        name = "status",
        header = "Show Gateways, listeners and routes, and why something is not served.",
        description =
                "What each listener and route serves, or why it does not. While `shellac run` serves the folder, that is the state"
                        + " of the run, also where the files say something else by now; otherwise it is what a run would serve.",
        footer = {
            "",
            "Examples:",
            "  shellac status examples/multi-listener",
            "  shellac status -o json examples/canary"
        })
final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private FolderOptions options = new FolderOptions();

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "The state folder that `shellac run` was given, if it was given one.")
    private Optional<Path> state = Optional.empty();

    @Option(
            names = "--state-home",
            hidden = true,
            defaultValue = "${env:XDG_STATE_HOME:-${sys:user.home}/.local/state}")
    private Path stateHome = Path.of("");

    @Override
    public Integer call() {
        LiveReports live = LiveReports.in(state.orElseGet(() -> StatePlaces.of(stateHome, options.folder())));
        RunState now = live.state().orElseGet(() -> RunState.of(FolderAnalysis.of(options.folder())));
        Show show = Show.of(spec);
        switch (options.output()) {
            case TEXT -> text(show, now, run(show, now, live));
            case JSON -> show.json(now.json());
        }
        return now.problems().stream().anyMatch(Problem::isError) ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static void text(Show show, RunState now, String run) {
        TextTable doors = TextTable.of("GATEWAY", "LISTENER", "PROTOCOL", "PORT", "HOST", "ROUTES", "STATE");
        for (ListenerRow row : now.report().listeners()) {
            doors.row(
                    row.gateway(),
                    row.listener(),
                    row.protocol(),
                    Integer.toString(row.port()),
                    row.hostname(),
                    Integer.toString(row.routes()),
                    row.state());
        }
        print(show, doors, "no Gateway");
        TextTable routes = TextTable.of("ROUTE", "HOSTS", "PARENT", "RULES", "STATE");
        for (RouteRow path : now.report().routes()) {
            routes.row(path.route(), path.hosts(), path.parent(), Integer.toString(path.rules()), path.state());
        }
        show.line("");
        print(show, routes, "no HTTPRoute");
        show.line("");
        show.line(run);
        if (!now.problems().isEmpty()) {
            show.line("");
            now.problems()
                    .forEach(problem -> show.line(
                            problem.isError() ? show.red(problem.toString()) : show.yellow(problem.toString())));
        }
    }

    private static String run(Show show, RunState now, LiveReports live) {
        if (now.running().isEmpty()) {
            return show.faint(
                    live.isServed()
                            ? "`shellac run` has only just begun: this is what it would serve"
                            : "not running: this is what `shellac run` would serve");
        }
        List<String> served = now.running().get();
        return served.isEmpty()
                ? show.red("running, and nothing is served")
                : show.green("running: " + String.join(", ", served));
    }

    private static void print(Show show, TextTable table, String otherwise) {
        if (table.isEmpty()) {
            show.line(otherwise);
            return;
        }
        List<String> lines = table.lines();
        show.line(show.bold(lines.getFirst()));
        lines.stream().skip(1).forEach(show::line);
    }
}
