package dev.shellac.cli;

import dev.shellac.cli.show.Show;
import dev.shellac.cli.show.TextTable;
import dev.shellac.cli.site.LiveState;
import dev.shellac.cli.site.Problem;
import dev.shellac.cli.site.Site;
import dev.shellac.cli.site.Standing;
import dev.shellac.cli.site.Standing.Door;
import dev.shellac.cli.site.Standing.Path;
import dev.shellac.decode.Finding.Severity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Gateways, listeners and routes at a glance. */
@Command(
        name = "status",
        header = "Show Gateways, listeners and routes, and why something is not served.",
        description = "What the folder comes to: what each listener and route would serve, or why it would not.",
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

    @Override
    public Integer call() {
        Site site = Site.of(options.folder(), LiveState.NONE);
        Standing standing = Standing.of(site);
        List<Problem> problems = site.problems().stream()
                .filter(problem -> problem.severity() != Severity.NOTE)
                .toList();
        Show show = Show.of(spec);
        switch (options.output()) {
            case TEXT -> text(show, standing, problems);
            case JSON -> show.json(json(standing, problems));
        }
        return problems.stream().anyMatch(Problem::isError) ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static void text(Show show, Standing standing, List<Problem> problems) {
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
        for (Path path : standing.paths()) {
            routes.row(path.route(), path.hosts(), path.parent(), Integer.toString(path.rules()), path.state());
        }
        show.line("");
        print(show, routes, "no HTTPRoute");
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

    private static Map<String, Object> json(Standing standing, List<Problem> problems) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("listeners", standing.doors());
        tree.put("routes", standing.paths());
        tree.put("problems", problems.stream().map(CheckCommand::json).toList());
        return tree;
    }
}
