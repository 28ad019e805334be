package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.chaperone.controller.Timing;
import dev.shellac.chaperone.kube.ApiServer;
import dev.shellac.testkit.net.FreePort;
import dev.shellac.varnishconfig.vcl.MainVcl;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/** A gateway pod without a cluster: a real varnishd of Debian 13, a real chaperone, and an API server that is not. */
final class Pod implements AutoCloseable {
    static final String TOKEN = "let me in";
    private static final String CONFIG_MAPS = "/api/v1/namespaces/edge/configmaps";
    private static final Path HOME = Path.of(System.getProperty("shellac.home", "../.."))
            .toAbsolutePath()
            .normalize();

    final FakeApi api;
    private final Path folder;
    private final int port;
    private final List<HttpServer> backends = new ArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private String routes = "";
    private String plain = "http";
    private String userVcl = "";
    private String varnishd = "varnishd";
    private String haproxy = HOME.resolve("bin/root") + " run debian-13 -- haproxy";
    private Optional<Chaperone> chaperone = Optional.empty();

    record Answer(int status, String body) {}

    private Pod(FakeApi api, Path folder, int port) {
        this.api = api;
        this.folder = folder;
        this.port = port;
    }

    static Pod in(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new Pod(FakeApi.start(), folder, FreePort.find());
    }

    /** Who connects without TLS says first for whom. */
    void takesProxyHeaders() {
        plain = "PROXY";
    }

    /** Bears clients that are too slow for so long. */
    void bearsSlowClients(Duration patience) {
        varnishd = "env GHOST_STALL_SECONDS=" + patience.toSeconds() + " varnishd";
    }

    /** Its first word about a configuration is its last one: somebody kills it. */
    void firstCheckIsKilled() throws IOException {
        Path script = folder.resolve("haproxy");
        Files.writeString(script, """
                #!/bin/sh
                if [ "$1" = -c ] && [ ! -e "$0-was-killed" ]; then
                  : >"$0-was-killed"
                  kill -KILL $$
                fi
                exec %s "$@"
                """.formatted(haproxy));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        haproxy = script.toString();
    }

    Map<String, String> environment() {
        String root = HOME.resolve("bin/root").toString();
        var environment = new HashMap<String, String>();
        environment.put("WORK_DIR", folder.toString());
        environment.put(
                "VARNISH_LISTEN",
                "http-80=127.0.0.1:" + port + "," + plain + ";edge=" + folder.resolve("edge.sock") + ",PROXY");
        environment.put("VARNISH_STORAGE", "malloc,16m");
        environment.put("VARNISHD_COMMAND", root + " run debian-13 -- " + varnishd);
        environment.put("VARNISHSTAT_COMMAND", root + " join {pid} -- varnishstat");
        environment.put("HAPROXY_COMMAND", haproxy);
        environment.put("VMOD_PATH", HOME.resolve("build/ghost/debian-13").toString());
        environment.put("VARNISHD_EXTRA_ARGS", "-p;vsl_space=4M");
        environment.put("BACKENDS_FILE_PATH", folder.resolve("backends.conf").toString());
        environment.put("NAMESPACE", "edge");
        environment.put("CONFIGMAP_NAME", "gw-vcl");
        environment.put("CERTIFICATES_NAME", "gw-certificates");
        environment.put("HEALTH_ADDR", "127.0.0.1:0");
        environment.put("DEBUG_ADDR", "127.0.0.1:0");
        environment.put("DRAIN_TOKEN", TOKEN);
        environment.put("POD_NAME", "gw-1");
        environment.put("KUBERNETES_API_URL", api.url().toString());
        return environment;
    }

    void start() throws Exception {
        start(Timing.usual().endpoints());
    }

    /** With another patience for endpoints. */
    void start(Duration endpoints) throws Exception {
        Settings settings = Settings.of(environment());
        Timing usual = settings.timing();
        var timing = new Timing(
                usual.firstTable(),
                usual.tableFromDisk(),
                endpoints,
                usual.tls(),
                usual.retry(),
                usual.drainDelay(),
                usual.drainMost());
        var patient = new Settings(
                settings.varnishd(),
                settings.files(),
                settings.backends(),
                settings.haproxy(),
                settings.source(),
                settings.serving(),
                timing,
                settings.logLevel());
        chaperone = Optional.of(Chaperone.start(patient, ApiServer.at(api.url()), InstantSource.system()));
    }

    void stop() {
        chaperone.ifPresent(Chaperone::close);
        chaperone = Optional.empty();
    }

    /** A backend that says its name. */
    int backend(String name) throws IOException {
        return backend(request -> name);
    }

    /** A backend that says something about the headers that it got. */
    int backend(Function<Headers, String> says) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/", exchange -> {
            try (exchange) {
                byte[] body = says.apply(exchange.getRequestHeaders()).getBytes(UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.setExecutor(threads);
        server.start();
        backends.add(server);
        return server.getAddress().getPort();
    }

    void slice(String service, int... ports) {
        slice("shop", service, ports);
    }

    static String slices(String namespace) {
        return "/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices";
    }

    void slice(String namespace, String service, int... ports) {
        var endpoints = new ArrayList<String>();
        var numbers = new ArrayList<String>();
        for (int number : ports) {
            numbers.add("{\"port\":" + number + ",\"protocol\":\"TCP\"}");
        }
        endpoints.add("{\"addresses\":[\"127.0.0.1\"],\"conditions\":{\"ready\":true}}");
        api.put(
                slices(namespace),
                service + "-1",
                "\"kubernetes.io/service-name\":\"" + service + "\"",
                ",\"addressType\":\"IPv4\",\"endpoints\":" + endpoints + ",\"ports\":" + numbers);
    }

    /** A route of a path to a Service, in addition to those before. */
    void route(String path, String service) {
        routes += (routes.isEmpty() ? "" : ",") + entry(path, service);
        configure();
    }

    /** As it stands in routing.json. */
    static String entry(String path, String service) {
        return """
                {"path_match":{"type":"PathPrefix","value":"%s"},"service":"%s","namespace":"shop","port":8080,"service_port":80,\
                "weight":1,"listeners":["edge/gw/web"],"route_name":"shop/%s","origin":{"rule":0,"match":0},"priority":1,\
                "rule_index":0}""".formatted(path, service, service);
    }

    void badRoute() {
        routes += ",{\"path_match\":{\"type\":\"RegularExpression\",\"value\":\"(\"},\"service\":\"\",\"weight\":0,"
                + "\"listeners\":[\"edge/gw/web\"],\"route_name\":\"shop/bad\",\"origin\":{\"rule\":3,\"match\":1},"
                + "\"priority\":1,\"rule_index\":3}";
        configure();
    }

    void userVcl(String text) {
        userVcl = text;
        configure();
    }

    void configure() {
        configure(
                "{\"version\":2,\"listeners\":{\"edge/gw/web\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{\"*\":{\"routes\":["
                        + routes + "]}}}");
    }

    void configure(String routing) {
        configMap(Map.of("main.vcl", vcl(), "routing.json", routing));
    }

    /** As it is written where it is large. */
    void compressed(String routing) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(routing.getBytes(UTF_8));
        }
        String text = Base64.getEncoder().encodeToString(bytes.toByteArray());
        api.put(
                CONFIG_MAPS,
                "gw-vcl",
                "",
                ",\"data\":" + members(Map.of("main.vcl", vcl())) + ",\"binaryData\":"
                        + members(Map.of("routing.json.gz", text)));
    }

    private String vcl() {
        if (!(MainVcl.merge(folder.resolve("ghost.json").toString(), Optional.empty()) instanceof MainVcl.Text main)) {
            throw new AssertionError("our own VCL has an end");
        }
        return main.vcl() + userVcl;
    }

    /** The ConfigMap, key by key. */
    void configMap(Map<String, String> data) {
        api.put(CONFIG_MAPS, "gw-vcl", "", ",\"data\":" + members(data));
    }

    /** The ConfigMap of changes, key by key. */
    void changes(Map<String, String> data) {
        api.put(CONFIG_MAPS, "gw-vcl-changes", "", ",\"data\":" + members(data));
    }

    private static String members(Map<String, String> values) {
        return values.entrySet().stream()
                .map(value -> quoted(value.getKey()) + ":" + quoted(value.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    Path folder() {
        return folder;
    }

    private static String quoted(String text) {
        return "\"" + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
    }

    Answer get(String path) throws IOException {
        return ask("http://127.0.0.1:" + port + path, "");
    }

    /** Of the chaperone itself. */
    String url(String path) {
        return "http://127.0.0.1:" + chaperone.orElseThrow().port() + path;
    }

    /** From the chaperone itself. */
    Answer own(String path) throws IOException {
        return ask(url(path), TOKEN);
    }

    Answer ownWithout(String path) throws IOException {
        return ask(url(path), "wrong");
    }

    /** What seals for it are made with. */
    String key() throws IOException {
        return state().replaceAll("(?s).*\"key\":\"([^\"]+)\".*", "$1");
    }

    Answer debug(String path) throws IOException {
        return ask("http://127.0.0.1:" + chaperone.orElseThrow().debugPort() + path, "");
    }

    String state() throws IOException {
        return own("/state").body();
    }

    int port() {
        return port;
    }

    static Answer ask(String url, String token) throws IOException {
        var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        try {
            connection.setReadTimeout(40_000);
            connection.setRequestProperty("X-Drain-Token", token);
            int status = connection.getResponseCode();
            try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return new Answer(status, body == null ? "" : new String(body.readAllBytes(), UTF_8));
            }
        } finally {
            connection.disconnect();
        }
    }

    void awaitAnswer(String path, int status, String body) throws Exception {
        eventually(path + " is " + status + " " + body, () -> get(path).equals(new Answer(status, body)));
    }

    void awaitReady() throws Exception {
        eventually("ready", () -> own("/ready").status() == 200);
    }

    /** The processes that have this pod's folder on their command line, those that are called varnishd. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process.pid()).contains(folder.toString()))
                .toList();
    }

    List<ProcessHandle> varnishds() {
        return called("varnishd");
    }

    List<ProcessHandle> haproxies() {
        return called("haproxy");
    }

    private List<ProcessHandle> called(String name) {
        return processes().stream()
                .filter(process -> commandLine(process.pid()).startsWith(name + "\0"))
                .toList();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        stop();
        backends.forEach(server -> server.stop(0));
        threads.shutdownNow();
        api.close();
        if (!processes().isEmpty()) {
            throw new AssertionError("left behind: " + processes());
        }
    }
}
