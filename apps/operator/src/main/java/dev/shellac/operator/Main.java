package dev.shellac.operator;

import dev.shellac.kube.api.ApiServer;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.operator.children.Platform;
import dev.shellac.translate.Settings;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The process: flags and environment in, until a signal. */
@Command(
        name = "shellac-operator",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Makes the Gateways of a cluster: configuration, pods and statuses.",
        footerHeading = "%n",
        footer = {
            "The cluster is the one of KUBECONFIG, or the one that this runs in.",
            "",
            "Examples:",
            "  shellac-operator                                 in a pod, alone",
            "  shellac-operator --leader-elect                  one of several; the others wait",
            "  KUBECONFIG=~/.kube/config LOG_LEVEL=debug shellac-operator --metrics-addr 127.0.0.1:8080"
        })
public final class Main implements Callable<Integer> {
    private static final int USAGE = 2;
    private static final Path OWN_NAMESPACE = Path.of("/var/run/secrets/kubernetes.io/serviceaccount/namespace");

    @Option(
            names = "--metrics-addr",
            paramLabel = "ADDRESS",
            defaultValue = "${env:METRICS_ADDR:-:8080}",
            description = "where /metrics is [METRICS_ADDR, :8080]")
    private String metrics = "";

    @Option(
            names = "--health-probe-addr",
            paramLabel = "ADDRESS",
            defaultValue = "${env:HEALTH_PROBE_ADDR:-:8081}",
            description = "where /healthz and /readyz are [HEALTH_PROBE_ADDR, :8081]")
    private String health = "";

    @Option(
            names = "--leader-elect",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            defaultValue = "${env:LEADER_ELECTION:-false}",
            description = "write only while holding the Lease varnish-gateway-operator [LEADER_ELECTION, false]")
    private String elect = "";

    @Option(
            names = "--gateway-image",
            paramLabel = "IMAGE",
            defaultValue = "${env:GATEWAY_IMAGE:-docker.io/shellac/shellac-gateway:0.1.0}",
            description = "of gateway pods whose parameters name none [GATEWAY_IMAGE]")
    private String image = "";

    @Option(
            names = "--image-pull-secrets",
            paramLabel = "NAMES",
            defaultValue = "${env:IMAGE_PULL_SECRETS:-}",
            description = "of gateway pods, with commas between them [IMAGE_PULL_SECRETS]")
    private String pullSecrets = "";

    @Option(
            names = "--network-policy",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            defaultValue = "${env:NETWORK_POLICY:-true}",
            description = "a NetworkPolicy for gateway pods whose parameters do not say it [NETWORK_POLICY, true]")
    private String policy = "";

    @Option(
            names = "--metrics-namespaces",
            paramLabel = "NAMES",
            defaultValue = "${env:METRICS_NAMESPACES:-}",
            description =
                    "namespaces that it lets read the metrics of gateway pods, with commas between them; any where there is none [METRICS_NAMESPACES]")
    private String scrapers = "";

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            defaultValue = "${env:LOG_LEVEL:-info}",
            description = "debug, info, warn or error; gateway pods get it too [LOG_LEVEL, info]")
    private String logLevel = "";

    @Option(
            names = "--check-uninstall",
            description =
                    "name the Gateways that are left, and end: with 1 if there are any, with 0 if the operator may go")
    private boolean uninstall;

    public static void main(String[] arguments) {
        System.setProperty("java.util.logging.manager", LastingLogs.class.getName());
        // Also where it is 0: threads of the client must not keep a process that has answered.
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        Options options;
        Config config = ApiServer.configuration();
        if (uninstall) {
            return checkUninstall(config);
        }
        try {
            options = options(config);
        } catch (Options.Bad e) {
            System.err.println(e.getMessage());
            return USAGE;
        }
        log(options.logLevel().orElse(System.Logger.Level.INFO));
        if (options.logLevel().isEmpty()) {
            System.getLogger(Main.class.getName())
                    .log(System.Logger.Level.WARNING, "LOG_LEVEL {0} is unknown; it is info", logLevel);
        }
        Options.leftOver(System.getenv())
                .forEach(words -> System.getLogger(Main.class.getName()).log(System.Logger.Level.WARNING, words));
        KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build();
        try {
            // A process that lost its Lease must not write another byte.
            Operator operator =
                    Operator.start(options, client, () -> Runtime.getRuntime().halt(1));
            Runtime.getRuntime().addShutdownHook(new Thread(operator::close, "end"));
        } catch (IOException e) {
            System.err.println("shellac-operator cannot start: " + e.getMessage());
            return 1;
        }
        new CountDownLatch(1).await();
        return 0;
    }

    private static int checkUninstall(Config config) throws InterruptedException {
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            List<String> left = UninstallCheck.gateways(ApiServer.of(client), Settings.CONTROLLER_NAME);
            left.forEach(gateway -> System.err.println("still there: " + gateway));
            if (!left.isEmpty()) {
                System.err.println(
                        "delete these Gateways before the operator, which removes the finalizer of their class");
            }
            return left.isEmpty() ? 0 : 1;
        } catch (IOException e) {
            System.err.println("the cluster cannot be asked: " + e.getMessage());
            return 1;
        }
    }

    private Options options(Config config) throws Options.Bad {
        Optional<System.Logger.Level> level = Options.level(logLevel);
        return new Options(
                Options.address(metrics),
                Options.address(health),
                Options.isYes("LEADER_ELECTION", elect) ? Options.Election.LEASE : Options.Election.ALONE,
                new Platform(image, Options.list(pullSecrets), Options.word(level), access(config)),
                level,
                new Options.Identity(namespace(config), host() + "_" + UUID.randomUUID()),
                Runtime.getRuntime().maxMemory());
    }

    private Platform.Access access(Config config) throws Options.Bad {
        return new Platform.Access(
                Options.isYes("NETWORK_POLICY", policy) ? Use.ON : Use.OFF, namespace(config), Options.list(scrapers));
    }

    private static String namespace(Config config) {
        try {
            return Files.readString(OWN_NAMESPACE).strip();
        } catch (IOException e) {
            return Optional.ofNullable(System.getenv("POD_NAMESPACE"))
                    .or(() -> Optional.ofNullable(config.getNamespace()))
                    .orElse("default");
        }
    }

    private static String host() {
        return Optional.ofNullable(System.getenv("POD_NAME")).orElseGet(() -> {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (IOException e) {
                return "operator";
            }
        });
    }

    /** Loggers that still speak while the process ends. */
    public static final class LastingLogs extends LogManager {
        @Override
        public void reset() {
            // The virtual machine calls this in a hook of its own, beside ours.
        }
    }

    /** A logger that nobody holds is collected, and its level with it. Made when it is known which kind of loggers there are. */
    private static final class Loggers {
        private static final Logger OURS = Logger.getLogger("dev.shellac");
        private static final Logger CLIENT = Logger.getLogger("io.fabric8");
    }

    private static void log(System.Logger.Level level) {
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT.%1$tLZ %4$s %3$s %5$s%6$s%n");
        Level wanted = switch (level) {
            case DEBUG -> Level.FINE;
            case WARNING -> Level.WARNING;
            case ERROR -> Level.SEVERE;
            default -> Level.INFO;
        };
        Loggers.OURS.setLevel(wanted);
        Loggers.CLIENT.setLevel(Level.WARNING);
        Arrays.stream(Logger.getLogger("").getHandlers()).forEach(handler -> handler.setLevel(wanted));
    }
}
