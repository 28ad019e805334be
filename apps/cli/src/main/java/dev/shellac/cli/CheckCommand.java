package dev.shellac.cli;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.Problem;
import dev.shellac.cli.show.Show;
import dev.shellac.decode.Finding.Severity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Everything that is wrong with a folder. */
@Command(
        name = "check",
        header = "Say everything that is wrong with a folder, with file and line.",
        description = {
            "Reads the folder as `shellac run` would, translates it, and prints every mistake: files that cannot be read,"
                    + " objects that the API server would refuse, and objects that a Gateway cannot serve as they are."
                    + " Warnings do not count as refused."
        },
        footer = {
            "",
            "Examples:",
            "  shellac check examples/quickstart",
            "  shellac check --output json examples/quickstart | jq '.problems[].message'"
        })
final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private FolderOptions options = new FolderOptions();

    @Override
    public Integer call() {
        FolderAnalysis analysis = FolderAnalysis.of(options.folder());
        List<Problem> problems = analysis.problems();
        boolean refused = problems.stream().anyMatch(Problem::isError);
        Show show = Show.of(spec);
        switch (options.output()) {
            case TEXT -> text(show, analysis, problems);
            case JSON -> show.json(json(analysis, problems));
        }
        return refused ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static void text(Show show, FolderAnalysis analysis, List<Problem> problems) {
        for (Problem problem : problems) {
            String words = problem.words();
            String coloured = switch (problem.severity()) {
                case ERROR -> show.red(words);
                case WARNING -> show.yellow(words);
                case NOTE -> words;
            };
            show.line(show.bold(problem.at().toString()) + ": " + coloured);
        }
        long errors = count(problems, Severity.ERROR);
        long warnings = count(problems, Severity.WARNING);
        String held =
                analysis.folder() + ": " + counted(analysis.reading().objects().size(), "object") + " in "
                        + counted(analysis.reading().files(), "file") + ", ";
        show.line(
                errors > 0
                        ? held + counted(errors, "error") + ", " + counted(warnings, "warning")
                        : held + (warnings > 0 ? counted(warnings, "warning") : show.green("nothing wrong")));
    }

    private static long count(List<Problem> problems, Severity severity) {
        return problems.stream()
                .filter(problem -> problem.severity() == severity)
                .count();
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    private static Map<String, Object> json(FolderAnalysis analysis, List<Problem> problems) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("ok", problems.stream().noneMatch(Problem::isError));
        tree.put("files", analysis.reading().files());
        tree.put("objects", analysis.reading().objects().size());
        tree.put("problems", problems.stream().map(Problem::json).toList());
        return tree;
    }
}
