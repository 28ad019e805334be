package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * An API server over a real socket: lists in pages, watches from a version on, bookmarks, and all the ways in which the real one fails. It
 * forgets what a compaction takes.
 */
public final class FakeApi implements AutoCloseable {
    private static final int PAGE = 2;

    private record Event(long version, String collection, String name, String type, String object) {}

    private final Map<String, TreeMap<String, String>> objects = new HashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private final Set<String> forbidden = new HashSet<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;
    private final int port;
    private long version = 100;
    private long compacted = 100;
    private long drops;
    private long bookmarks;
    private int refusing;

    private FakeApi(HttpServer server) {
        this.server = server;
        this.port = server.getAddress().getPort();
    }

    public static FakeApi start() throws IOException {
        var api = new FakeApi(listening(0));
        api.serve();
        return api;
    }

    private static HttpServer listening(int port) throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 64);
    }

    private void serve() {
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** {@code fields} is what follows the metadata, a comma first. */
    public synchronized void put(String collection, String name, String labels, String fields) {
        version++;
        String namespace = collection.replaceAll(".*/namespaces/([^/]+)/.*", "$1");
        String object = "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"" + namespace
                + "\",\"resourceVersion\":\"" + version
                + "\",\"managedFields\":[{\"manager\":\"x\",\"fieldsV1\":{\"f:x\":{}}}],\"labels\":{" + labels + "}}"
                + fields + "}";
        boolean known =
                objects.computeIfAbsent(collection, key -> new TreeMap<>()).put(name, object) != null;
        events.add(new Event(version, collection, name, known ? "MODIFIED" : "ADDED", object));
        notifyAll();
    }

    public synchronized void delete(String collection, String name) {
        version++;
        String object = objects.getOrDefault(collection, new TreeMap<>()).remove(name);
        events.add(new Event(version, collection, name, "DELETED", String.valueOf(object)));
        notifyAll();
    }

    /** Ends every watch in the middle of a line. */
    public synchronized void dropConnections() {
        drops++;
        notifyAll();
    }

    /** Says to every watch that nothing happened up to now. */
    public synchronized void bookmark() {
        bookmarks++;
        notifyAll();
    }

    /** Forgets all events; watches from before are gone. */
    public synchronized void compact() {
        compacted = version;
        events.clear();
        drops++;
        notifyAll();
    }

    /** Answers the next requests with 403. */
    public synchronized void refuse(int times) {
        refusing = times;
    }

    /** Answers every request for this collection with 403, until it is allowed. */
    public synchronized void forbid(String collection) {
        forbidden.add(collection);
    }

    public synchronized void allow(String collection) {
        forbidden.remove(collection);
    }

    public synchronized void stop() {
        drops++;
        notifyAll();
        server.stop(0);
    }

    public void again() throws IOException {
        server = listening(port);
        serve();
    }

    public synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    /** How often something with this in its path and query was asked for. */
    public long requests(String part) {
        return requests().stream().filter(request -> request.contains(part)).count();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Map<String, String> query = query(exchange.getRequestURI());
        boolean refused;
        Heard heard;
        synchronized (this) {
            // Who sees the request counted may drop it at once.
            heard = new Heard(drops, bookmarks);
            requests.add(exchange.getRequestURI().toString());
            refused = refusing > 0 || forbidden.contains(path);
            refusing -= refusing > 0 ? 1 : 0;
        }
        try (exchange) {
            if (refused) {
                say(exchange, 403, "{\"kind\":\"Status\",\"message\":\"forbidden\",\"code\":403}");
            } else if (query.containsKey("watch")) {
                watch(exchange, path, query, heard);
            } else if (path.endsWith("s")) {
                list(exchange, path, query);
            } else {
                get(exchange, path);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> query(URI uri) {
        var query = new HashMap<String, String>();
        for (String part : String.valueOf(uri.getQuery()).split("&", -1)) {
            int equals = part.indexOf('=');
            query.put(part.substring(0, Math.max(equals, 0)), part.substring(equals + 1));
        }
        return query;
    }

    private static boolean selects(Map<String, String> query, String name) {
        String selector = query.getOrDefault("fieldSelector", "");
        return selector.isEmpty() || selector.equals("metadata.name=" + name);
    }

    private void get(HttpExchange exchange, String path) throws IOException {
        int slash = path.lastIndexOf('/');
        String object;
        synchronized (this) {
            object = objects.getOrDefault(path.substring(0, slash), new TreeMap<>())
                    .get(path.substring(slash + 1));
        }
        say(exchange, object == null ? 404 : 200, object == null ? "{\"message\":\"not found\"}" : object);
    }

    private void list(HttpExchange exchange, String path, Map<String, String> query) throws IOException {
        String body;
        synchronized (this) {
            String from = query.getOrDefault("continue", "");
            List<String> names = objects.getOrDefault(path, new TreeMap<>()).tailMap(from).keySet().stream()
                    .filter(name -> selects(query, name))
                    .toList();
            String more = names.size() > PAGE ? ",\"continue\":\"" + names.get(PAGE) + "\"" : "";
            String items = names.stream()
                    .limit(PAGE)
                    .map(name -> objects.getOrDefault(path, new TreeMap<>()).get(name))
                    .collect(Collectors.joining(","));
            body = "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" + version + "\"" + more + "},\"items\":["
                    + items + "]}";
        }
        say(exchange, 200, body);
    }

    private static void say(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** How much of what is said to all watches one has heard already. */
    private record Heard(long drops, long bookmarks) {}

    private void watch(HttpExchange exchange, String path, Map<String, String> query, Heard heard)
            throws IOException, InterruptedException {
        long seen = Long.parseLong(query.getOrDefault("resourceVersion", "0"));
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        long marked = heard.bookmarks();
        while (true) {
            String lines;
            boolean drop;
            synchronized (this) {
                if (seen < compacted) {
                    lines =
                            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"message\":\"too old\"}}\n";
                    out.write(lines.getBytes(UTF_8));
                    return;
                }
                long after = seen;
                lines = events.stream()
                        .filter(event -> event.version() > after
                                && event.collection().equals(path)
                                && selects(query, event.name()))
                        .map(event -> "{\"type\":\"" + event.type() + "\",\"object\":" + event.object() + "}\n")
                        .collect(Collectors.joining());
                seen = version;
                if (bookmarks > marked) {
                    marked = bookmarks;
                    lines += "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" + version
                            + "\"}}}\n";
                }
                drop = drops > heard.drops();
                if (lines.isEmpty() && !drop) {
                    wait();
                    continue;
                }
            }
            out.write((lines + (drop ? "{\"type\":\"ADD" : "")).getBytes(UTF_8));
            out.flush();
            if (drop) {
                return;
            }
        }
    }

    @Override
    public void close() {
        stop();
        threads.shutdownNow();
    }
}
