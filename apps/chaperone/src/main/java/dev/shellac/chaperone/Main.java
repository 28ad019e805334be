package dev.shellac.chaperone;

import dev.shellac.chaperone.kube.ApiServer;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** The process: environment in, until a signal. */
public final class Main {
    private static final int USAGE = 2;

    private Main() {}

    public static void main(String[] arguments) {
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.print(Settings.HELP);
            return;
        }
        if (arguments.length > 0) {
            System.err.println("chaperone takes no arguments; --help says what it reads from its environment");
            System.exit(USAGE);
        }
        try {
            run(Settings.of(System.getenv()));
        } catch (BadSettings e) {
            System.err.println(e.getMessage());
            System.exit(USAGE);
        } catch (IOException e) {
            System.err.println("chaperone cannot start: " + e.getMessage());
            System.exit(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(Settings settings) throws IOException, InterruptedException {
        log(settings.logLevel().orElse(System.Logger.Level.INFO));
        if (settings.logLevel().isEmpty()) {
            System.getLogger(Main.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "LOG_LEVEL {0} is unknown; it is info",
                            System.getenv("LOG_LEVEL"));
        }
        ApiServer api = settings.source().api().isPresent()
                ? ApiServer.at(settings.source().api().get())
                : ApiServer.inCluster(System.getenv());
        Chaperone chaperone = Chaperone.start(settings, api, InstantSource.system());
        // The virtual machine waits for its hooks, and nothing else ends it.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(chaperone), "drain"));
        HeapWatch.ofThisProcess(chaperone::rounds).run();
    }

    private static void end(Chaperone chaperone) {
        try {
            chaperone.drain();
        } catch (InterruptedException e) {
            chaperone.close();
        }
    }

    /** Loggers that still speak while the process ends, which is when a drain has something to say. */
    public static final class LastingLogs extends LogManager {
        @Override
        public void reset() {
            // The virtual machine calls this in a hook of its own, beside ours.
        }
    }

    private static void log(System.Logger.Level level) {
        System.setProperty("java.util.logging.manager", LastingLogs.class.getName());
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT.%1$tLZ %4$s %3$s %5$s%6$s%n");
        Logger root = Logger.getLogger("");
        Level wanted = switch (level) {
            case DEBUG -> Level.FINE;
            case WARNING -> Level.WARNING;
            case ERROR -> Level.SEVERE;
            default -> Level.INFO;
        };
        Logger.getLogger("dev.shellac").setLevel(wanted);
        Logger.getLogger("varnishd").setLevel(wanted);
        Arrays.stream(root.getHandlers()).forEach(handler -> handler.setLevel(wanted));
    }
}
