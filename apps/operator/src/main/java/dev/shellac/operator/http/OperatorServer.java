package dev.shellac.operator.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Pages of plain text on addresses of their own: health and readiness for the kubelet, metrics for Prometheus. */
public final class OperatorServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OperatorServer.class.getName());
    private static final int BACKLOG = 64;

    /** What a page says. */
    public record Answer(int status, String body) {
        public static Answer ok(String body) {
            return new Answer(200, body);
        }

        public static Answer not(String why) {
            return new Answer(503, why + "\n");
        }
    }

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<HttpServer> servers = new ArrayList<>();

    /** Serves pages by path on one more address; the port that it got. */
    public int serve(InetSocketAddress address, Map<String, Supplier<Answer>> pages) throws IOException {
        HttpServer server = HttpServer.create(address, BACKLOG);
        server.setExecutor(threads);
        pages.forEach((path, page) -> server.createContext(path, exchange -> {
            try (exchange) {
                Answer answer =
                        exchange.getRequestURI().getPath().equals(path) ? page.get() : new Answer(404, "not found\n");
                exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                byte[] bytes = answer.body().getBytes(UTF_8);
                exchange.sendResponseHeaders(answer.status(), bytes.length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(bytes);
                }
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, path + " could not be answered", e);
            }
        }));
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        servers.forEach(server -> server.stop(0));
        threads.shutdownNow();
    }
}
