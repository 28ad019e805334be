package dev.shellac.cli;

import dev.shellac.cli.run.StatePlaces;
import dev.shellac.cli.show.Show;
import dev.shellac.cli.show.TextTable;
import dev.shellac.cli.site.LiveReports;
import dev.shellac.cli.site.Problem;
import dev.shellac.cli.site.Site;
import dev.shellac.cli.site.Standing;
import dev.shellac.cli.site.Standing.Door;
import dev.shellac.cli.site.Standing.Way;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.model.Name;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
                "What the folder comes to: what each listener and route serves, or why it does not. While `shellac run` serves the"
                        + " folder, with what that reports: ports that are taken, routes and VCL that varnishd refused.",
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
        Site site = Site.of(
                options.folder(), LiveReports.in(state.orElseGet(() -> StatePlaces.of(stateHome, options.folder()))));
        Standing standing = Standing.of(site);
        List<Problem> problems = site.problems().stream()
                .filter(problem -> problem.severity() != Severity.NOTE)
                .toList();
        Show show = Show.of(spec);
        switch (options.output()) {
            case TEXT -> text(show, site, standing, problems);
            case JSON -> show.json(json(site, standing, problems));
        }
        return problems.stream().anyMatch(Problem::isError) ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static void text(Show show, Site site, Standing standing, List<Problem> problems) {
        TextTable doors = TextTable.of("GATEWAY", "LISTENER", "PROTOCOL", "PORT", "HOST", "ROUTES", "STATE");
        for (Door door : standing.doors()) {
            doors.row(
                    door.gateway(),
                    door.listener(),
                    door.protocol(),
                    Integer.toString(door.port()),
                    door.hostname(),
                    Integer.toString(door.routes()),
                    door.state());
        }
        print(show, doors, "no Gateway");
        TextTable routes = TextTable.of("ROUTE", "HOSTS", "PARENT", "RULES", "STATE");
        for (Way path : standing.paths()) {
            routes.row(path.route(), path.hosts(), path.parent(), Integer.toString(path.rules()), path.state());
        }
        show.line("");
        print(show, routes, "no HTTPRoute");
        show.line("");
        show.line(
                site.running().isEmpty()
                        ? show.faint("not running: this is what `shellac run` would serve")
                        : show.green("running: "
                                + site.running().keySet().stream()
                                        .map(Name::toString)
                                        .sorted()
                                        .collect(Collectors.joining(", "))));
        if (!problems.isEmpty()) {
            show.line("");
            problems.forEach(problem ->
                    show.line(problem.isError() ? show.red(problem.toString()) : show.yellow(problem.toString())));
        }
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

    private static Map<String, Object> json(Site site, Standing standing, List<Problem> problems) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put(
                "running",
                site.running().keySet().stream().map(Name::toString).sorted().toList());
        tree.put("listeners", standing.doors());
        tree.put("routes", standing.paths());
        tree.put("problems", problems.stream().map(CheckCommand::json).toList());
        return tree;
    }
}
