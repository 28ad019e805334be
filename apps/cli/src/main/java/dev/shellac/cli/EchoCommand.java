package dev.shellac.cli;

import dev.shellac.cli.echo.EchoServer;
import dev.shellac.cli.show.Show;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Backends to try a gateway with. Hidden: it is for examples, not for use. */
@Command(
        name = "echo",
        hidden = true,
        header = "Small backends on 127.0.0.1 that answer with their name and what they were asked.",
        footer = {"", "Examples:", "  shellac echo hello-v1=9001 hello-v2=9002"})
final class EchoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "NAME=PORT", description = "A backend and its port.")
    private Map<String, Integer> backends = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        Show show = Show.of(spec);
        List<EchoServer> servers = new ArrayList<>();
        for (Map.Entry<String, Integer> backend : backends.entrySet()) {
            try {
                servers.add(EchoServer.start(backend.getKey(), backend.getValue()));
            } catch (IOException e) {
                servers.forEach(EchoServer::close);
                show.err()
                        .println("shellac: " + backend.getKey() + " cannot listen on port " + backend.getValue() + ": "
                                + e.getMessage());
                return ExitCode.REFUSED;
            }
        }
        for (EchoServer server : servers) {
            show.line("listening on 127.0.0.1:" + server.port());
        }
        // Until the process is told to end.
        new CountDownLatch(1).await();
        return ExitCode.OK;
    }
}
