package dev.shellac.chaperone.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.chaperone.controller.Drain;
import dev.shellac.chaperone.controller.PodController;
import dev.shellac.chaperone.controller.StatePublisher;
import dev.shellac.chaperone.controller.Varnish;
import dev.shellac.chaperone.edge.HaproxySupervisor;
import dev.shellac.chaperone.kube.ConfigMapWatch;
import dev.shellac.threads.Supervisor;
import dev.shellac.varnishconfig.changes.ChangeSet;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * {@code /health}, {@code /ready}, {@code /state}, {@code /changes} and {@code /metrics} on one address, {@code /debug/backends} on another that is
 * not for others. Nothing here ends or drains a pod: a signal does, and who can send one may.
 */
public final class PodServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PodServer.class.getName());
    private static final String TOKEN_HEADER = "X-Drain-Token";
    private static final String SINCE = "since=";
    private static final Duration LONGEST_POLL = Duration.ofSeconds(30);
    private static final int BACKLOG = 64;
    // Longer than a poll. Each connection takes some 30 KiB of the heap.
    private static final ConnectionLimiter.Bounds BOUNDS =
            new ConnectionLimiter.Bounds(128, LONGEST_POLL.plusSeconds(15));
    private static final Duration READING = Duration.ofSeconds(1);
    // The operator sends 64 Ki characters at most, and goes by the ConfigMap where it is not answered within 250 ms.
    private static final BodyReader.Bounds CHANGES =
            new BodyReader.Bounds(128 * 1024, Duration.ofMillis(200), Duration.ofSeconds(1));

    /** What is served. */
    public record Shown(
            PodController controller,
            HaproxySupervisor edge,
            Drain drain,
            StatePublisher publisher,
            ConfigMapWatch config,
            PrometheusMeterRegistry registry) {}

    // A class, since nobody compares the bytes: many answers share them.
    private static final class Answer {
        private final int status;
        private final String type;
        private final byte[] body;

        Answer(int status, String type, byte[] body) {
            this.status = status;
            this.type = type;
            this.body = body;
        }

        static Answer text(int status, String words) {
            return new Answer(status, "text/plain; charset=utf-8", (words + "\n").getBytes(UTF_8));
        }

        static Answer json(byte[] body) {
            return new Answer(200, "application/json", body);
        }
    }

    // A state as bytes, however many ask for it.
    private static final class Written {
        private final String version;
        private final boolean ready;
        private final byte[] json;

        Written(String version, boolean ready, byte[] json) {
            this.version = version;
            this.ready = ready;
            this.json = json;
        }
    }

    @FunctionalInterface
    private interface Page {
        Answer answer(HttpExchange exchange) throws IOException, InterruptedException;
    }

    private final Shown shown;
    private final Token token;
    private final StateJson.Self self;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SharedReading metrics = new SharedReading(this::readMetrics, READING, System::nanoTime);
    private final BodyReader bodies = new BodyReader(CHANGES);
    private Optional<Written> written = Optional.empty();
    private final HttpServer server;
    private final HttpServer debug;
    private final ConnectionLimiter limiter;

    private PodServer(Shown shown, Token token, String pod, InetSocketAddress health, InetSocketAddress inside)
            throws IOException {
        this.shown = shown;
        this.token = token;
        this.self = new StateJson.Self(pod, shown.config().openKey());
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        page(server, "/health", exchange -> health());
        page(server, "/ready", exchange -> ready());
        page(server, "/state", this::state);
        page(server, ChangeSet.PATH, this::changes);
        page(server, "/metrics", exchange -> metrics());
        this.debug = HttpServer.create(inside, BACKLOG);
        page(
                debug,
                "/debug/backends",
                exchange -> Answer.json(("{\"pools\":" + shown.controller().pools() + "}\n").getBytes(UTF_8)));
        shown.registry().gauge("chaperone.ready", this, server -> server.isReady() ? 1 : 0);
        shown.registry()
                .gauge(
                        "chaperone.edge.certificates",
                        shown.edge(),
                        edge -> edge.state().shown());
        shown.registry()
                .gauge(
                        "chaperone.edge.certificates.left.out",
                        shown.edge(),
                        edge -> edge.state().leftOut().size());
        shown.registry().gauge("chaperone.draining", shown.drain(), drain -> drain.isDraining() ? 1 : 0);
        this.limiter = ConnectionLimiter.start(health, server.getAddress(), BOUNDS);
    }

    public static PodServer start(
            Shown shown, Token token, String pod, InetSocketAddress health, InetSocketAddress inside)
            throws IOException {
        var server = new PodServer(shown, token, pod, health, inside);
        server.server.start();
        server.debug.start();
        return server;
    }

    public int port() {
        return limiter.port();
    }

    public int debugPort() {
        return debug.getAddress().getPort();
    }

    private void page(HttpServer on, String path, Page page) {
        on.setExecutor(threads);
        on.createContext(path, exchange -> {
            try (exchange) {
                Answer answer = exchange.getRequestURI().getPath().equals(path)
                        ? page.answer(exchange)
                        : Answer.text(404, "not found");
                exchange.getResponseHeaders().set("Content-Type", answer.type);
                exchange.sendResponseHeaders(answer.status, answer.body.length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(answer.body);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, path + " could not be answered", e);
            }
        });
    }

    private Answer health() {
        Optional<String> failing = Supervisor.PROCESS.failing();
        if (failing.isPresent()) {
            return Answer.text(503, "thread " + failing.get() + " ends again and again");
        }
        return shown.controller().isRunning() ? Answer.text(200, "ok") : Answer.text(503, "the loop is gone");
    }

    private boolean isReady() {
        return !shown.drain().isDraining()
                && shown.publisher().current().state().isLive()
                && shown.controller().isOpen()
                && shown.controller().isAnswered()
                && shown.controller().varnish().filter(Varnish::isServing).isPresent();
    }

    private Answer ready() {
        if (shown.drain().isDraining()) {
            return Answer.text(503, "draining");
        }
        if (isReady()) {
            return Answer.text(200, "ready");
        }
        if (!shown.controller().isAnswered()) {
            return Answer.text(503, "varnishd does not answer");
        }
        boolean tls = shown.publisher().current().state().edge().isMissing();
        return Answer.text(503, tls ? "no TLS is terminated" : "no table is live");
    }

    private Answer state(HttpExchange exchange) throws IOException, InterruptedException {
        if (!token.isSaidBy(exchange.getRequestHeaders().getFirst(TOKEN_HEADER))) {
            return Answer.text(403, "forbidden");
        }
        String query = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
        StatePublisher.VersionedState versionedState = query.startsWith(SINCE)
                ? shown.publisher().awaitNewerThan(query.substring(SINCE.length()), LONGEST_POLL)
                : shown.publisher().current();
        return Answer.json(json(versionedState));
    }

    private synchronized byte[] json(StatePublisher.VersionedState versionedState) throws IOException {
        boolean ready = isReady();
        Optional<Written> same =
                written.filter(last -> last.version.equals(versionedState.version()) && last.ready == ready);
        if (same.isEmpty()) {
            byte[] json = StateJson.of(versionedState, ready, self).getBytes(UTF_8);
            written = Optional.of(new Written(versionedState.version(), ready, json));
        }
        return written.orElseThrow().json;
    }

    // Where they are not taken, the ConfigMap says what counts.
    private Answer changes(HttpExchange exchange) throws IOException, InterruptedException {
        Headers headers = exchange.getRequestHeaders();
        if (!token.isSaidBy(headers.getFirst(TOKEN_HEADER))) {
            return Answer.text(403, "forbidden");
        }
        if (!said(headers, ChangeSet.NUMBER).matches("[0-9]{1,18}")) {
            return Answer.text(400, ChangeSet.NUMBER + " is no number");
        }
        try {
            return bodies.read(exchange, body -> take(headers, body));
        } catch (BodyReader.Refused e) {
            return Answer.text(e.status(), e.why());
        }
    }

    private Answer take(Headers headers, byte[] body) {
        var changeSet = new ChangeSet(
                new ChangeSet.Revision(
                        said(headers, ChangeSet.WRITER), Long.parseLong(said(headers, ChangeSet.NUMBER))),
                said(headers, ChangeSet.BASE),
                new String(body, UTF_8));
        return shown.config().take(changeSet, said(headers, ChangeSet.SIGNATURE))
                ? Answer.text(200, "taken")
                : Answer.text(409, "not from who writes the ConfigMap, or not newer");
    }

    private static String said(Headers headers, String name) {
        return Optional.ofNullable(headers.getFirst(name)).orElse("");
    }

    private Answer metrics() throws InterruptedException {
        return new Answer(
                200, "text/plain; version=0.0.4; charset=utf-8", metrics.text().getBytes(UTF_8));
    }

    private String readMetrics() throws InterruptedException {
        String varnish = "";
        try {
            Optional<Varnish> running = shown.controller().varnish();
            varnish = running.isPresent() ? VarnishMetrics.text(running.get().counters()) : "";
        } catch (IOException e) {
            LOG.log(Level.INFO, "no counters of varnishd: {0}", e.getMessage());
        }
        return shown.registry().scrape()
                + varnish
                + shown.edge().counted().map(HaproxyMetrics::text).orElse("");
    }

    @Override
    public void close() {
        limiter.close();
        server.stop(0);
        debug.stop(0);
        threads.shutdownNow();
    }
}
