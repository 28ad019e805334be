package dev.shellac.chaperone;

import dev.shellac.chaperone.controller.PodFiles;
import dev.shellac.chaperone.controller.Timing;
import dev.shellac.chaperone.http.Token;
import dev.shellac.chaperone.kube.PodWatches;
import dev.shellac.varnishd.ListenSocket;
import dev.shellac.varnishd.VarnishdSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How a chaperone runs, from its environment.
 *
 * @param files the table and the VCL
 * @param backends where backends.conf is written, if anybody wants it
 * @param haproxy how it is started
 * @param logLevel none if the one that was asked for is unknown
 */
record Settings(
        VarnishdSettings varnishd,
        PodFiles files,
        Optional<Path> backends,
        List<String> haproxy,
        Source source,
        Serving serving,
        Timing timing,
        Optional<System.Logger.Level> logLevel) {
    static final String HELP = """
            chaperone: runs varnishd in a gateway pod and keeps its routes and VCL as the cluster says.

            It is told by its environment (defaults in brackets):
              NAMESPACE [default], CONFIGMAP_NAME [gateway-vcl]   the Gateway's ConfigMap
              CERTIFICATES_NAME                                   what the Secrets with the Gateway's certificates begin with; without it no
                                                                  listener has TLS
              GATEWAY_NAME, POD_NAME                              who this is
              VARNISH_LISTEN [http=:80]                           sockets, name=address,protocol, between semicolons
              VARNISH_STORAGE [malloc,256m]                       storages, between semicolons
              VARNISHD_EXTRA_ARGS                                 more arguments, one a line or between semicolons
              WORK_DIR [/var/run/varnish], VARNISH_DIR            our folder; varnishd's own (-n)
              GHOST_CONFIG_PATH [WORK_DIR/ghost.json]             the table; the next start begins with it
              VCL_PATH [WORK_DIR/main.vcl]                        the last VCL that was taken; the same
              BACKENDS_FILE_PATH                                  backends.conf, if it is wanted
              HEALTH_ADDR [:8080], DEBUG_ADDR [127.0.0.1:6060]    /health /ready /state /metrics; /debug/backends
              DRAIN_TOKEN                                         what /state asks for, as X-Drain-Token
              DRAIN_DELAY [5], DRAIN_TIMEOUT [20]                 seconds to serve on, and for clients to leave
              LOG_LEVEL [info]                                    debug, info, warn or error; another one is info
              VARNISHD_COMMAND [varnishd], VARNISHSTAT_COMMAND, HAPROXY_COMMAND [haproxy]   how they are started
              VMOD_PATH                                           a folder of VMODs before varnishd's own
              VCL_COMPILER [tcc]                                  tcc or cc
              KUBERNETES_API_URL                                  an API server without TLS; else that of the cluster
            VARNISH_ADMIN_PORT, VARNISH_HTTP_ADDR, VARNISH_TLS_LISTEN, TLS_SECRET_NAME, TLS_CERT_DIR and DASHBOARD_ADDR are accepted and not used.
            """;

    private static final String A_DAY = "86400";

    /** Whose configuration it is, and where it is read. */
    record Source(PodWatches.Names names, Optional<URI> api) {}

    /** What it serves itself, and to whom. */
    record Serving(InetSocketAddress health, InetSocketAddress debug, Token token, String pod) {}

    static Settings of(Map<String, String> variables) throws BadSettings {
        var environment = new Environment(variables);
        Path folder = environment.path("WORK_DIR", "/var/run/varnish");
        var source = new Source(
                new PodWatches.Names(
                        environment.text("NAMESPACE", "default"),
                        environment.text("CONFIGMAP_NAME", "gateway-vcl"),
                        environment.optional("CERTIFICATES_NAME")),
                environment.url("KUBERNETES_API_URL"));
        var serving = new Serving(
                environment.address("HEALTH_ADDR", ":8080"),
                environment.address("DEBUG_ADDR", "127.0.0.1:6060"),
                new Token(environment.text("DRAIN_TOKEN", "")),
                environment.text("POD_NAME", ""));
        var files = new PodFiles(
                environment.path(
                        "GHOST_CONFIG_PATH", folder.resolve("ghost.json").toString()),
                environment.path("VCL_PATH", folder.resolve("main.vcl").toString()));
        Optional<System.Logger.Level> level = level(environment);
        Timing timing = timing(environment);
        Optional<VarnishdSettings> varnishd = varnishd(environment, folder);
        environment.check();
        return new Settings(
                varnishd.orElseThrow(),
                files,
                environment.optionalPath("BACKENDS_FILE_PATH"),
                environment.words("HAPROXY_COMMAND").orElse(List.of("haproxy")),
                source,
                serving,
                timing,
                level);
    }

    Set<String> sockets() {
        return varnishd.sockets().stream().map(ListenSocket::name).collect(Collectors.toSet());
    }

    private static Timing timing(Environment environment) {
        Timing usual = Timing.usual();
        return new Timing(
                usual.firstTable(),
                usual.tableFromDisk(),
                usual.endpoints(),
                usual.tls(),
                usual.retry(),
                environment.seconds("DRAIN_DELAY", usual.drainDelay()),
                environment.seconds("DRAIN_TIMEOUT", usual.drainMost()));
    }

    private static Optional<VarnishdSettings> varnishd(Environment environment, Path folder) {
        List<ListenSocket> sockets = sockets(environment);
        try {
            VarnishdSettings settings = VarnishdSettings.of(
                            environment.words("VARNISHD_COMMAND").orElse(List.of("varnishd")), folder, sockets)
                    .withStorage(
                            environment.list("VARNISH_STORAGE", "malloc,256m").toArray(String[]::new))
                    .withArguments(environment.list("VARNISHD_EXTRA_ARGS", ""))
                    // The default takes 80 MiB of each pod.
                    .withParameter("vsl_space", "16M")
                    // How long a request may take is its route's to say: downloads and WebSockets may take a day.
                    .withParameter("send_timeout", A_DAY)
                    .withParameter("pipe_timeout", A_DAY)
                    // More than HAProxy keeps a connection that nobody uses: it ends them itself, and never sends a
                    // request into one that is being closed.
                    .withParameter("timeout_idle", "75");
            switch (environment.text("VCL_COMPILER", "tcc")) {
                case "tcc" -> settings = settings.withParameter("cc_command", VarnishdSettings.TCC);
                case "cc" -> {
                    // varnishd's own
                }
                default -> environment.mistake("VCL_COMPILER", "tcc or cc expected");
            }
            Optional<Path> vmods = environment.optionalPath("VMOD_PATH");
            settings = vmods.isPresent() ? settings.withVmods(vmods.get()) : settings;
            Optional<Path> own = environment.optionalPath("VARNISH_DIR");
            settings = own.isPresent() ? settings.withWorkingDirectory(own.get()) : settings;
            Optional<List<String>> stat = environment.words("VARNISHSTAT_COMMAND");
            return Optional.of(stat.isPresent() ? settings.withVarnishstat(stat.get()) : settings);
        } catch (IllegalArgumentException e) {
            environment.mistake("WORK_DIR", String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    // name=address,protocol. The router's own socket is added to every varnishd, whatever the list says of it.
    private static List<ListenSocket> sockets(Environment environment) {
        var sockets = new ArrayList<ListenSocket>();
        for (String entry : environment.list("VARNISH_LISTEN", "http=:80")) {
            int equals = entry.indexOf('=');
            int comma = entry.indexOf(',');
            String name = equals < 0 ? "" : entry.substring(0, equals).strip();
            String address = entry.substring(equals + 1, comma < 0 ? entry.length() : comma)
                    .strip();
            String options = comma < 0 ? "HTTP" : entry.substring(comma + 1).strip();
            if (name.isEmpty() || address.isEmpty()) {
                environment.mistake(
                        "VARNISH_LISTEN", "name=address or name=address,protocol expected, between semicolons");
            } else if (!name.equals(ListenSocket.CONTROL)) {
                sockets.add(new ListenSocket(name, address, options.equalsIgnoreCase("http") ? "HTTP" : options));
            }
        }
        return sockets;
    }

    // No pod stays away over how much it says.
    private static Optional<System.Logger.Level> level(Environment environment) {
        return switch (environment.text("LOG_LEVEL", "info").strip().toLowerCase(Locale.ROOT)) {
            case "debug" -> Optional.of(System.Logger.Level.DEBUG);
            case "info" -> Optional.of(System.Logger.Level.INFO);
            case "warn", "warning" -> Optional.of(System.Logger.Level.WARNING);
            case "error" -> Optional.of(System.Logger.Level.ERROR);
            default -> Optional.empty();
        };
    }
}
