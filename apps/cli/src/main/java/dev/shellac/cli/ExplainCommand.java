package dev.shellac.cli;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.Problem;
import dev.shellac.cli.explain.ExplainResult;
import dev.shellac.cli.explain.GatewaySelector;
import dev.shellac.cli.explain.JsonAnswer;
import dev.shellac.cli.explain.RequestSpec;
import dev.shellac.cli.explain.RequestSpec.Unclear;
import dev.shellac.cli.explain.Summary;
import dev.shellac.cli.explain.TextAnswer;
import dev.shellac.cli.explain.Unserved;
import dev.shellac.cli.show.Output;
import dev.shellac.cli.show.Show;
import dev.shellac.model.Name;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What becomes of a request, and why. */
@Command(
        name = "explain",
        header = "Say what becomes of a request: which rule takes it, and why not the others.",
        description = {
            "Follows a request through the table that the folder comes to, without a running gateway: listener, host, rule,"
                    + " filters, backends with their shares and endpoints, cache policy. The rules are those of the router in"
                    + " varnishd, and held to its tests."
        },
        footer = {
            "",
            "Examples:",
            "  shellac explain examples/quickstart GET http://localhost:8080/canary",
            "  shellac explain examples/header-routing GET / -H 'Host: www.example.com' -H 'Cookie: beta=1'",
            "  shellac explain --short examples/canary GET http://shop.example.com/"
        })
final class ExplainCommand implements Callable<Integer> {
    private static final int FEW = 10;

    @Spec
    private CommandSpec spec;

    @Mixin
    private FolderOptions options = new FolderOptions();

    @Parameters(index = "1", paramLabel = "METHOD", description = "GET, POST, …")
    private String method = "";

    @Parameters(index = "2", paramLabel = "URL", description = "http://host[:port]/path, or /path with a Host header.")
    private String url = "";

    @Option(
            names = {"-H", "--header"},
            paramLabel = "'NAME: VALUE'",
            description = "A header of the request; again for each.")
    private List<String> headers = new ArrayList<>();

    @Option(names = "--port", paramLabel = "PORT", description = "The port of the Gateway, if the URL has none.")
    private Optional<Integer> port = Optional.empty();

    @Option(names = "--listener", paramLabel = "NAME", description = "A listener whose port is meant.")
    private Optional<String> listener = Optional.empty();

    @Option(names = "--gateway", paramLabel = "NS/NAME", description = "The Gateway, if there are several.")
    private Optional<Name> gateway = Optional.empty();

    @Option(names = "--short", description = "One line: the status, or the Services that get the request.")
    private boolean shortened;

    @Option(names = "--all", description = "Every route that did not get the request, not only the first ten.")
    private boolean all;

    @Override
    public Integer call() {
        Show show = Show.of(spec);
        ExplainResult result;
        try {
            result = ask();
        } catch (Unserved e) {
            unserved(show, e.problem());
            return ExitCode.REFUSED;
        }
        if (!result.analysis().reading().errors().isEmpty()) {
            show.err()
                    .println("note: some files or objects are refused and left out; see shellac check "
                            + options.folder());
        }
        Summary summary = Summary.of(result);
        if (shortened) {
            show.line(summary.line());
        } else {
            switch (options.output()) {
                case TEXT -> new TextAnswer(result, show, all ? Integer.MAX_VALUE : FEW).print();
                case JSON -> show.json(JsonAnswer.of(result));
            }
        }
        return summary.served() ? ExitCode.OK : ExitCode.REFUSED;
    }

    private void unserved(Show show, Problem problem) {
        if (shortened || options.output() == Output.TEXT) {
            show.line("not served: " + problem);
        } else {
            var tree = new LinkedHashMap<String, Object>();
            tree.put("served", false);
            tree.put("answer", "not served: " + problem.words());
            tree.put("problem", problem.json());
            show.json(tree);
        }
    }

    private ExplainResult ask() {
        try {
            RequestSpec requestSpec = RequestSpec.parse(method, url, headers).at(port);
            FolderAnalysis analysis = FolderAnalysis.of(options.folder());
            return new GatewaySelector(analysis, gateway, listener).explain(requestSpec);
        } catch (Unclear e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
