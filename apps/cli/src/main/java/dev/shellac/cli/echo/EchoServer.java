package dev.shellac.cli.echo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A backend on 127.0.0.1. The first line of an answer is its name; the second counts its answers, so that one from a cache is
 * seen to be the same; then comes the request as it arrived.
 */
public final class EchoServer implements AutoCloseable {
    private static final int OK = 200;

    private final String name;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong answers = new AtomicLong();

    private EchoServer(String name, HttpServer server) {
        this.name = name;
        this.server = server;
    }

    /**
     * Starts one; port 0 is any that is free.
     *
     * @throws IOException if the port is taken
     */
    public static EchoServer start(String name, int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        var echo = new EchoServer(name, server);
        server.setExecutor(echo.threads);
        server.createContext("/", echo::answer);
        server.start();
        return echo;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = text(exchange).getBytes(UTF_8);
            exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.getResponseHeaders().set("X-Backend", name);
            boolean headOnly = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(OK, headOnly ? -1 : body.length);
            if (!headOnly) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private String text(HttpExchange exchange) {
        var text = new StringBuilder(name)
                .append('\n')
                .append("answer ")
                .append(answers.incrementAndGet())
                .append('\n')
                .append(exchange.getRequestMethod())
                .append(' ')
                .append(exchange.getRequestURI())
                .append('\n');
        exchange.getRequestHeaders().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(header -> header.getValue()
                        .forEach(value -> text.append(header.getKey())
                                .append(": ")
                                .append(value)
                                .append('\n')));
        return text.toString();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
