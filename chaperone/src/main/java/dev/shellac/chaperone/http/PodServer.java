package dev.shellac.chaperone.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.shellac.chaperone.edge.EdgeLoop;
import dev.shellac.chaperone.kube.ConfigFeed;
import dev.shellac.chaperone.live.Board;
import dev.shellac.chaperone.live.Drain;
import dev.shellac.chaperone.live.Loop;
import dev.shellac.chaperone.live.Varnish;
import dev.shellac.threads.Supervisor;
import dev.shellac.varnishconfig.delivery.Delivery;
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
    private static final int MOST_CHANGES = 1 << 20;

    /** What is served. */
    public record Shown(
            Loop loop, EdgeLoop edge, Drain drain, Board board, ConfigFeed config, PrometheusMeterRegistry registry) {}

    private record Answer(int status, String type, String body) {
        static Answer text(int status, String words) {
            return new Answer(status, "text/plain; charset=utf-8", words + "\n");
        }

        static Answer json(String body) {
            return new Answer(200, "application/json", body);
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
        page(server, Delivery.PATH, this::changes);
        page(server, "/metrics", exchange -> metrics());
        this.debug = HttpServer.create(inside, BACKLOG);
        page(
                debug,
                "/debug/backends",
                exchange -> Answer.json("{\"pools\":" + shown.loop().pools() + "}\n"));
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
                exchange.getResponseHeaders().set("Content-Type", answer.type());
                byte[] bytes = answer.body().getBytes(UTF_8);
                exchange.sendResponseHeaders(answer.status(), bytes.length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(bytes);
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
        return shown.loop().isRunning() ? Answer.text(200, "ok") : Answer.text(503, "the loop is gone");
    }

    private boolean isReady() {
        return !shown.drain().isDraining()
                && shown.board().posted().state().isLive()
                && shown.loop().isOpen()
                && shown.loop().isAnswered()
                && shown.loop().varnish().filter(Varnish::isServing).isPresent();
    }

    private Answer ready() {
        if (shown.drain().isDraining()) {
            return Answer.text(503, "draining");
        }
        if (isReady()) {
            return Answer.text(200, "ready");
        }
        if (!shown.loop().isAnswered()) {
            return Answer.text(503, "varnishd does not answer");
        }
        boolean tls = shown.board().posted().state().edge().isMissing();
        return Answer.text(503, tls ? "no TLS is terminated" : "no table is live");
    }

    private Answer state(HttpExchange exchange) throws IOException, InterruptedException {
        if (!token.isSaidBy(exchange.getRequestHeaders().getFirst(TOKEN_HEADER))) {
            return Answer.text(403, "forbidden");
        }
        String query = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
        Board.Posted posted = query.startsWith(SINCE)
                ? shown.board().after(query.substring(SINCE.length()), LONGEST_POLL)
                : shown.board().posted();
        return Answer.json(StateJson.of(posted, isReady(), self));
    }

    // Where they are not taken, the ConfigMap says what counts.
    private Answer changes(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        if (!token.isSaidBy(headers.getFirst(TOKEN_HEADER))) {
            return Answer.text(403, "forbidden");
        }
        byte[] body = exchange.getRequestBody().readNBytes(MOST_CHANGES + 1);
        if (body.length > MOST_CHANGES) {
            return Answer.text(413, "more than " + MOST_CHANGES + " bytes");
        }
        String number = said(headers, Delivery.NUMBER);
        if (!number.matches("[0-9]{1,18}")) {
            return Answer.text(400, Delivery.NUMBER + " is no number");
        }
        var delivery = new Delivery(
                new Delivery.Stamp(said(headers, Delivery.WRITER), Long.parseLong(number)),
                said(headers, Delivery.BASE),
                new String(body, UTF_8));
        return shown.config().take(delivery, said(headers, Delivery.SEAL))
                ? Answer.text(200, "taken")
                : Answer.text(409, "not from who writes the ConfigMap, or not newer");
    }

    private static String said(Headers headers, String name) {
        return Optional.ofNullable(headers.getFirst(name)).orElse("");
    }

    private Answer metrics() throws InterruptedException {
        return new Answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics.text());
    }

    private String readMetrics() throws InterruptedException {
        String varnish = "";
        try {
            Optional<Varnish> running = shown.loop().varnish();
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
