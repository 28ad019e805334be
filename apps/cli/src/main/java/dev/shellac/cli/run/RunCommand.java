package dev.shellac.cli.run;

import dev.shellac.cli.ExitCode;
import dev.shellac.cli.folder.Folder;
import dev.shellac.varnishd.VarnishdSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A gateway on this host. */
@Command(
        name = "run",
        header = "Serve a folder on this host: a varnishd for each Gateway, kept up to date with the files.",
        description = {
            "Every change to the folder is live some 100 ms after the last write; a file that is wrong",
            "keeps what it last held. Ctrl-C or SIGTERM ends it and everything that it started."
        },
        footer = {
            "",
            "Examples:",
            "  shellac run examples/quickstart",
            "  shellac run --bind 127.0.0.1 --state /var/lib/shellac /etc/shellac"
        })
public final class RunCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DIR", description = "The folder of YAML.")
    private Path folder = Path.of("");

    @Option(
            names = "--varnishd",
            paramLabel = "COMMAND",
            defaultValue = "${env:SHELLAC_VARNISHD:-varnishd}",
            description =
                    "What starts varnishd: a file, or words apart by blanks. Default: $$SHELLAC_VARNISHD, or varnishd.")
    private String varnishd = "varnishd";

    @Option(
            names = "--ghost",
            paramLabel = "FILE",
            defaultValue = "${env:SHELLAC_GHOST}",
            description =
                    "libvmod_ghost.so, built for that varnishd. Default: $$SHELLAC_GHOST, or where varnishd looks for VMODs.")
    private @Nullable Path ghost;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "Where Gateways listen that ask for no address. Default: all addresses of this host.")
    private @Nullable String bind;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description =
                    "Where statuses and the last good configuration are kept. Default: a folder of its own for each DIR,"
                            + " below $$XDG_STATE_HOME/shellac or ~/.local/state/shellac.")
    private @Nullable Path state;

    @Option(
            names = "--state-home",
            hidden = true,
            defaultValue = "${env:XDG_STATE_HOME:-${sys:user.home}/.local/state}")
    private Path stateHome = Path.of("");

    @Option(
            names = "--storage",
            paramLabel = "SPEC",
            defaultValue = "malloc,256m",
            description = "varnishd's storage. Default: ${DEFAULT-VALUE}.")
    private String storage = "";

    @Option(
            names = {"-p", "--parameter"},
            paramLabel = "NAME=VALUE",
            description = "A parameter of varnishd's; several times for several.")
    private Map<String, String> parameters = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        Path place = state != null ? state : StatePlaces.of(stateHome, folder);
        Optional<StateFolder> opened = StateFolder.open(place);
        if (opened.isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println("shellac: another shellac serves with the state folder " + place
                            + ": end it, or give this one" + " another with --state");
            return ExitCode.REFUSED;
        }
        try (StateFolder kept = opened.get()) {
            kept.endLeftovers();
            Path runtime = Files.createTempDirectory("shellac-");
            Files.setPosixFilePermissions(runtime, PosixFilePermissions.fromString("rwxr-xr-x"));
            kept.uses(runtime);
            try {
                serve(kept, runtime);
            } finally {
                StateFolder.remove(runtime);
            }
        }
        return ExitCode.OK;
    }

    private void serve(StateFolder kept, Path runtime) throws IOException, InterruptedException {
        var inbox = new Inbox();
        var ended = new CountDownLatch(1);
        // The virtual machine ends when its hooks have; ours waits until everything is stopped.
        Thread hook = new Thread(() -> {
            inbox.close();
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            new Standalone(Folder.at(folder, InstantSource.system()), settings(runtime), kept, inbox).run();
            StateFolder.remove(runtime);
        } finally {
            ended.countDown();
        }
    }

    // The path of a file may have blanks.
    private static List<String> words(String command) {
        return Files.isExecutable(Path.of(command))
                ? List.of(command)
                : Pattern.compile("\\s+").splitAsStream(command).toList();
    }

    private RunSettings settings(Path runtime) {
        var all = new LinkedHashMap<String, String>();
        all.put("cc_command", VarnishdSettings.TCC);
        all.put("vsl_space", "16M");
        all.put("pipe_timeout", "3600");
        all.putAll(parameters);
        return new RunSettings(
                words(varnishd.strip()),
                Optional.ofNullable(ghost).filter(file -> !file.toString().isEmpty()),
                Optional.ofNullable(bind),
                storage,
                all,
                runtime);
    }
}
