package dev.shellac.testkit.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/** An API server in memory. A test says which kinds there are, puts objects in, and looks at what was written. */
public final class FakeApiServer implements AutoCloseable {
    /** One request that changed something, or tried to. */
    public record Write(String method, String path, JsonNode body) {}

    private static final String END = "";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ReentrantLock lock = new ReentrantLock();
    private final ObjectStore store = new ObjectStore();
    private final Map<String, Map<String, String>> kinds = new HashMap<>();
    private final List<Write> writes = new CopyOnWriteArrayList<>();
    private final List<String> reads = new CopyOnWriteArrayList<>();
    private final List<String> gets = new CopyOnWriteArrayList<>();
    private final List<LinkedBlockingQueue<String>> watches = new CopyOnWriteArrayList<>();
    private final Map<String, UnaryOperator<ObjectNode>> races = new HashMap<>();
    private final Map<String, String> forbidden = new HashMap<>();
    private final HangingPaths hanging = new HangingPaths();

    private FakeApiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
    }

    public static FakeApiServer start() throws IOException {
        var fake = new FakeApiServer();
        fake.server.start();
        return fake;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Serves one more kind, as a definition does that was just established. */
    public void define(String apiVersion, String kind, String plural) {
        lock.lock();
        try {
            kinds.computeIfAbsent(apiVersion, version -> new HashMap<>()).put(kind, plural);
        } finally {
            lock.unlock();
        }
    }

    /** Serves a kind no more; its objects stay, for a definition that comes back. */
    public void undefine(String apiVersion, String kind) {
        lock.lock();
        try {
            kinds.getOrDefault(apiVersion, new HashMap<>()).remove(kind);
        } finally {
            lock.unlock();
        }
    }

    /** Puts an object in, or changes what is there by a merge patch. Not counted as a write. */
    public JsonNode put(String path, String json) {
        lock.lock();
        try {
            var object = (ObjectNode) ObjectStore.JSON.readTree(json);
            return store.find(path).isPresent() ? store.patch(path, object, false) : store.create(path, object);
        } catch (IOException | ObjectStore.Refused e) {
            throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    /** Changes the status of an object, as another controller does. Not counted as a write. */
    public void putStatus(String path, String json) {
        lock.lock();
        try {
            store.patch(path, (ObjectNode) ObjectStore.JSON.readTree("{\"status\":" + json + "}"), true);
        } catch (IOException | ObjectStore.Refused e) {
            throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    public void remove(String path) {
        lock.lock();
        try {
            store.delete(path);
        } catch (ObjectStore.Refused e) {
            throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    public Optional<JsonNode> find(String path) {
        lock.lock();
        try {
            return store.find(path).map(JsonNode.class::cast);
        } finally {
            lock.unlock();
        }
    }

    /** All objects of a collection. */
    public List<JsonNode> list(String path) {
        lock.lock();
        try {
            return List.copyOf(store.all(ApiPath.of(path)));
        } finally {
            lock.unlock();
        }
    }

    /** Somebody is faster, once: the status of this object is changed after it was read and before it is written. */
    public void race(String path, UnaryOperator<ObjectNode> change) {
        lock.lock();
        try {
            races.put(path, change);
        } finally {
            lock.unlock();
        }
    }

    /** Refuses to write this object from now on, as an admission policy does. */
    public void forbid(String path, String why) {
        lock.lock();
        try {
            forbidden.put(path, why);
        } finally {
            lock.unlock();
        }
    }

    /** Does not answer writes to paths that begin like this for now, as where an admission webhook hangs. */
    public void hang(String prefix) {
        hanging.add(prefix);
    }

    /** Answers all that hangs, and all that comes. */
    public void unhang() {
        hanging.clear();
    }

    /** Ends all watches that run, as a server does that restarts. */
    public void dropWatches() {
        watches.forEach(queue -> queue.add(END));
    }

    public List<Write> writes() {
        return List.copyOf(writes);
    }

    /** The writes to paths with this end. */
    public List<Write> writesTo(String end) {
        return writes.stream().filter(write -> write.path().endsWith(end)).toList();
    }

    /** The paths and queries of everything that was listed or watched. */
    public List<String> reads() {
        return List.copyOf(reads);
    }

    /** The paths of single objects that were read. */
    public List<String> gets() {
        return List.copyOf(gets);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> query = query(exchange);
            String path = exchange.getRequestURI().getPath();
            if (exchange.getRequestMethod().equals("GET") && query.containsKey("watch")) {
                reads.add(exchange.getRequestURI().toString());
                watch(exchange, ApiPath.of(path), query);
                return;
            }
            JsonNode answer;
            int status = 200;
            try {
                answer =
                        exchange.getRequestMethod().equals("GET") ? read(exchange, path, query) : write(exchange, path);
            } catch (ObjectStore.Refused e) {
                status = e.code();
                answer = ObjectStore.JSON
                        .createObjectNode()
                        .put("kind", "Status")
                        .put("code", e.code())
                        .put("reason", e.reason())
                        .put("message", e.getMessage());
            }
            byte[] body = ObjectStore.JSON.writeValueAsBytes(answer);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        var query = new HashMap<String, String>();
        Optional.ofNullable(exchange.getRequestURI().getRawQuery()).stream()
                .flatMap(text -> Arrays.stream(text.split("&", -1)))
                .map(pair -> pair.split("=", 2))
                .forEach(pair -> query.put(pair[0], URLDecoder.decode(pair.length > 1 ? pair[1] : "", UTF_8)));
        return query;
    }

    private JsonNode read(HttpExchange exchange, String path, Map<String, String> query) throws ObjectStore.Refused {
        lock.lock();
        try {
            String[] words = path.split("/", -1);
            if (path.startsWith("/apis/") && words.length == 3) {
                return group(words[2]);
            }
            if (path.startsWith("/apis/") && words.length == 4) {
                return resources(words[2] + "/" + words[3]);
            }
            ApiPath at = ApiPath.of(path);
            if (!at.name().isEmpty()) {
                gets.add(path);
                return store.find(at.object())
                        .orElseThrow(() -> new ObjectStore.Refused(404, "NotFound", path + " not found"));
            }
            reads.add(exchange.getRequestURI().toString());
            if (accepted(exchange).contains("as=PartialObjectMetadata;")) {
                throw new ObjectStore.Refused(406, "NotAcceptable", "a list is no object");
            }
            ObjectNode list = ObjectStore.JSON.createObjectNode();
            list.putObject("metadata").put("resourceVersion", String.valueOf(store.version()));
            ArrayNode items = list.putArray("items");
            store.all(at).stream()
                    .filter(object -> Selectors.of(query).take(object))
                    .map(object -> asked(exchange, object))
                    .forEach(items::add);
            return list;
        } finally {
            lock.unlock();
        }
    }

    private static ObjectNode asked(HttpExchange exchange, ObjectNode object) {
        return accepted(exchange).contains("as=PartialObjectMetadata") ? ObjectStore.metadata(object) : object;
    }

    private static String accepted(HttpExchange exchange) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .orElse("");
    }

    private JsonNode group(String name) throws ObjectStore.Refused {
        ObjectNode group = ObjectStore.JSON.createObjectNode();
        ArrayNode versions = group.putArray("versions");
        kinds.keySet().stream()
                .filter(version -> version.startsWith(name + "/"))
                .forEach(version -> versions.addObject().put("version", version.substring(name.length() + 1)));
        if (versions.isEmpty()) {
            throw new ObjectStore.Refused(404, "NotFound", "no group " + name);
        }
        return group;
    }

    private JsonNode resources(String version) {
        ObjectNode list = ObjectStore.JSON.createObjectNode();
        ArrayNode resources = list.putArray("resources");
        kinds.getOrDefault(version, Map.of())
                .forEach((kind, plural) ->
                        resources.addObject().put("kind", kind).put("name", plural));
        return list;
    }

    private JsonNode write(HttpExchange exchange, String path) throws IOException, ObjectStore.Refused {
        byte[] bytes = exchange.getRequestBody().readAllBytes();
        JsonNode body = bytes.length == 0 ? ObjectStore.JSON.createObjectNode() : ObjectStore.JSON.readTree(bytes);
        ApiPath at = ApiPath.of(path);
        hanging.await(path);
        boolean applies = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"))
                .startsWith("application/apply-patch");
        lock.lock();
        try {
            writes.add(new Write(exchange.getRequestMethod(), path, body));
            if (forbidden.containsKey(at.object())) {
                throw new ObjectStore.Refused(403, "Forbidden", forbidden.get(at.object()));
            }
            ObjectNode object = (ObjectNode) body;
            return switch (exchange.getRequestMethod()) {
                case "POST" ->
                    store.create(path + "/" + body.path("metadata").path("name").asText(), object);
                case "DELETE" -> {
                    store.expect(
                            at.object(), body.path("preconditions").path("uid").asText());
                    store.delete(at.object());
                    yield ObjectStore.JSON.createObjectNode();
                }
                case "PUT" -> store.replace(at.object(), object);
                default -> {
                    race(at.object());
                    yield applies && store.find(at.object()).isEmpty()
                            ? store.create(at.object(), object)
                            : store.patch(at.object(), object, at.part().equals("status"));
                }
            };
        } finally {
            lock.unlock();
        }
    }

    private void race(String path) throws ObjectStore.Refused {
        UnaryOperator<ObjectNode> change = races.remove(path);
        Optional<ObjectNode> found = store.find(path);
        if (change != null && found.isPresent()) {
            ObjectNode patch = ObjectStore.JSON.createObjectNode();
            patch.set("status", change.apply(found.get().withObjectProperty("status")));
            store.patch(path, patch, true);
        }
    }

    private void watch(HttpExchange exchange, ApiPath collection, Map<String, String> query) throws IOException {
        var queue = new LinkedBlockingQueue<String>();
        Selectors selectors = Selectors.of(query);
        long since = Long.parseLong(query.getOrDefault("resourceVersion", "0"));
        // A server that is asked for lists in a watch opens it, and says nothing.
        boolean mute = accepted(exchange).contains("as=PartialObjectMetadataList");
        ObjectStore.Watcher watcher = (type, path, object) -> {
            if (!mute && ApiPath.of(path).isIn(collection) && selectors.take(object)) {
                queue.add(event(type, asked(exchange, object)));
            }
        };
        lock.lock();
        try {
            store.watch(since, watcher);
            watches.add(queue);
        } finally {
            lock.unlock();
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            for (String event = queue.take(); !event.equals(END); event = queue.take()) {
                body.write(event.getBytes(UTF_8));
                body.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.lock();
            try {
                store.unwatch(watcher);
                watches.remove(queue);
            } finally {
                lock.unlock();
            }
        }
    }

    private static String event(String type, ObjectNode object) {
        ObjectNode event = ObjectStore.JSON.createObjectNode().put("type", type);
        event.set("object", object);
        try {
            return ObjectStore.JSON.writeValueAsString(event) + "\n";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
