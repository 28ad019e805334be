package dev.shellac.cli;

import dev.shellac.cli.show.Show;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Completion for shells. */
@Command(
        name = "completion",
        header = "Print a script that lets a shell complete this command.",
        description = "The script is for bash; zsh runs it through bashcompinit, which its variant loads.",
        footer = {"", "Examples:", "  source <(shellac completion bash)", "  source <(shellac completion zsh)"})
final class CompletionCommand implements Callable<Integer> {
    /** Those that can. */
    enum Shell {
        BASH,
        ZSH
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private Shell shell = Shell.BASH;

    @Override
    public Integer call() {
        CommandLine root = new CommandLine(spec.root());
        Show show = Show.of(spec);
        if (shell == Shell.ZSH) {
            show.line("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit");
        }
        show.text(AutoComplete.bash("shellac", root));
        return ExitCode.OK;
    }
}
