package dev.shellac.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

final class ShellacTest {
    private static final String QUICKSTART =
            Path.of("../../examples/quickstart").toString();

    @Test
    void everyCommandHasHelpWithExamplesAndExitCodes() {
        CommandLine root = Shellac.commandLine(Ansi.OFF);
        assertThat(root.getSubcommands().keySet()).contains("check", "status", "explain", "translate", "completion");
        root.getSubcommands().values().stream()
                .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                .forEach(command -> {
                    Typed help = Typed.run(command.getCommandName(), "--help");
                    assertThat(help.code()).isEqualTo(ExitCode.OK);
                    assertThat(help.out())
                            .startsWith(command.getHelp().header())
                            .contains("Usage: shellac " + command.getCommandName(), "Exit codes:", "Examples:");
                });
    }

    @Test
    void theVersionIsTold() {
        assertThat(Typed.run("--version").out()).startsWith("shellac ").contains("Java 25");
    }

    @Test
    void coloursComeOnRequestAlone() {
        String plain = Typed.run(Ansi.OFF, List.of("status", QUICKSTART)).out();
        String coloured = Typed.run(Ansi.ON, List.of("status", QUICKSTART)).out();
        assertThat(plain).doesNotContain("\u001b");
        assertThat(coloured).contains("\u001b[1mGATEWAY");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", "")).isEqualTo(plain);
    }

    @Test
    void completionKnowsEveryCommandAndOption() {
        Typed bash = Typed.run("completion", "bash");
        assertThat(bash.code()).isEqualTo(ExitCode.OK);
        assertThat(bash.out()).contains("check", "explain", "--header", "complete -F _complete_shellac");
        assertThat(Typed.run("completion", "zsh").out())
                .contains("bashcompinit")
                .contains("--header");
    }

    @Test
    void aTypingMistakeIsAnsweredInAFewLines() {
        Typed typed = Typed.run("chek", QUICKSTART);
        assertThat(typed.code()).isEqualTo(ExitCode.USAGE);
        assertThat(typed.err())
                .startsWith("shellac: ")
                .contains("check", "See: shellac --help")
                .hasLineCount(3);
    }

    @Test
    void nothingAtAllIsAMistake() {
        Typed typed = Typed.run();
        assertThat(typed.code()).isEqualTo(ExitCode.USAGE);
        assertThat(typed.err()).isEqualTo("shellac: name a command\nSee: shellac --help\n");
    }
}
