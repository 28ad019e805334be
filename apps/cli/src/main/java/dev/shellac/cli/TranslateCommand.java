package dev.shellac.cli;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.GatewayTable;
import dev.shellac.cli.analysis.StatusTree;
import dev.shellac.cli.show.Show;
import dev.shellac.model.Name;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.print.CanonicalYaml;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.vcl.MainVcl;
import dev.shellac.varnishconfig.vcl.UserVclPlace;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What a folder is translated to. */
@Command(
        name = "translate",
        header = "Print what a folder is translated to.",
        description = {
            "The same translation as in a cluster and in `shellac run`, printed in one canonical form: the same objects give the"
                    + " same text, in whatever files and order they are written."
        },
        footer = {
            "",
            "Examples:",
            "  shellac translate --to ghost examples/quickstart",
            "  shellac translate --to status examples/quickstart",
            "  diff <(shellac translate --to plan before) <(shellac translate --to plan after)"
        })
final class TranslateCommand implements Callable<Integer> {
    /** The forms. */
    enum Form {
        PLAN,
        ROUTING,
        GHOST,
        VCL,
        STATUS
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder.")
    private Path folder = Path.of("");

    @Option(
            names = "--to",
            required = true,
            paramLabel = "FORM",
            description = {
                "plan: what the Gateway shall do (YAML).",
                "routing: routing.json. ghost: ghost.json, the router's table.",
                "vcl: main.vcl.",
                "status: the status of every object (YAML)."
            })
    private Form form = Form.PLAN;

    @Option(names = "--gateway", paramLabel = "NS/NAME", description = "The Gateway, if there are several.")
    private Optional<Name> gateway = Optional.empty();

    @Option(
            names = "--ghost-json",
            paramLabel = "PATH",
            description = "Where main.vcl finds ghost.json. Default: ${DEFAULT-VALUE}.")
    private String ghostJson = "/run/shellac/ghost.json";

    @Override
    public Integer call() {
        FolderAnalysis analysis = FolderAnalysis.inCluster(folder);
        Show show = Show.of(spec);
        if (analysis.reading().objects().isEmpty()
                && !analysis.reading().errors().isEmpty()) {
            analysis.reading().errors().forEach(error -> show.err().println(error));
            return ExitCode.REFUSED;
        }
        if (form == Form.STATUS) {
            String text = StatusTree.of(analysis.outcome().statuses()).stream()
                    .map(CanonicalYaml::print)
                    .collect(Collectors.joining("---\n"));
            show.text(text);
            return ExitCode.OK;
        }
        GatewayPlan plan = plan(analysis);
        switch (form) {
            case STATUS -> throw new IllegalStateException("is about no Gateway alone");
            case PLAN -> show.text(CanonicalYaml.print(plan));
            case ROUTING -> show.text(new RoutingJson().encode(plan));
            case GHOST -> show.text(GatewayTable.of(analysis, plan).json());
            case VCL -> {
                switch (MainVcl.merge(ghostJson, plan.clients().orElse(Clients.USUAL), plan.userVcl())) {
                    case MainVcl.Text text -> show.text(text.vcl());
                    case MainVcl.Refused refused -> {
                        show.err().println(UserVclPlace.words(plan.userVcl().orElseThrow(), refused));
                        return ExitCode.REFUSED;
                    }
                }
            }
        }
        return ExitCode.OK;
    }

    private GatewayPlan plan(FolderAnalysis analysis) {
        List<GatewayPlan> plans = analysis.plans().stream()
                .filter(plan -> gateway.isEmpty() || gateway.get().equals(plan.gateway()))
                .toList();
        String names =
                analysis.plans().stream().map(plan -> plan.gateway().toString()).collect(Collectors.joining(", "));
        if (plans.isEmpty()) {
            throw usage(
                    names.isEmpty()
                            ? "no Gateway in " + folder + " can serve; `shellac check " + folder + "` says why"
                            : "there is no Gateway " + gateway.orElseThrow() + " that can serve; there is " + names);
        }
        if (plans.size() > 1) {
            throw usage("there are several Gateways, name one with --gateway: " + names);
        }
        return plans.getFirst();
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
