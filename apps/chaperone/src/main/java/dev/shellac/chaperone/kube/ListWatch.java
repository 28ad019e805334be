package dev.shellac.chaperone.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.shellac.threads.Supervisor;
import dev.shellac.varnishconfig.reading.Json;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A collection of the API, listed once and watched from there on. A watch that ends is resumed where it ended; only where the server has
 * forgotten that place is everything listed again. It never gives up.
 *
 * @param <T> what an object becomes
 */
final class ListWatch<T> implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ListWatch.class.getName());
    private static final int PAGE = 500;
    private static final Duration WATCH = Duration.ofMinutes(5);
    private static final Duration OVERDUE = Duration.ofSeconds(30);
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration NOT_YET = Duration.ofMillis(20);
    private static final Duration GRANTED_WITHIN = Duration.ofSeconds(2);

    /** Who wants to know. Called on one thread. */
    interface Handler<T> {
        /** All is listed from here on, perhaps not for the first time. */
        default void listing() {}

        /** Whether an object of a list is to be among those that are handed over at its end. */
        default boolean isKept(String name, T object) {
            return true;
        }

        /** All that there is, by name, but for what was not to be kept. */
        void listed(Map<String, T> all);

        /** One that is new or another; nothing where it is gone. */
        void changed(String name, Optional<T> now);

        /** Why it cannot be read right now; nothing once it can. */
        void fault(Optional<String> why);
    }

    /**
     * What is watched.
     *
     * @param path of the collection
     * @param selector a query parameter, or empty
     */
    record Target(String path, String selector) {
        String query(String more) {
            return path + "?" + (selector.isEmpty() ? "" : selector + "&") + more;
        }
    }

    /** How it waits. */
    record Pace(Backoff backoff, RandomGenerator chance) {}

    private final ApiServer api;
    private final Target target;
    private final Function<Node, T> decoder;
    private final Handler<T> handler;
    private final Pace pace;
    private final Thread thread;
    private volatile boolean stopped;
    private final long began = System.nanoTime();
    private String version = "";
    private boolean forbidden;

    private ListWatch(ApiServer api, Target target, Function<Node, T> decoder, Handler<T> handler, Pace pace) {
        this.api = api;
        this.target = target;
        this.decoder = decoder;
        this.handler = handler;
        this.pace = pace;
        this.thread = Supervisor.PROCESS.thread("watch " + target.path(), this::run);
    }

    static <T> ListWatch<T> start(
            ApiServer api, Target target, Function<Node, T> decoder, Handler<T> handler, Pace pace) {
        var watch = new ListWatch<>(api, target, decoder, handler, pace);
        watch.thread.start();
        return watch;
    }

    private void run() {
        int failures = 0;
        try {
            while (!stopped) {
                long start = System.nanoTime();
                boolean good = round();
                // A watch that lasted was good, and one that ends at once is not, however it ends.
                boolean lasted = System.nanoTime() - start > AT_ONCE.toNanos();
                failures = lasted ? (good ? 0 : 1) : failures + 1;
                if (failures > 0) {
                    Thread.sleep(isSoonAllowed() ? NOT_YET : pace.backoff().delay(failures, pace.chance()));
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "{0} is not watched any more", target.path());
        }
    }

    // Who names a namespace first grants what is read there a moment later.
    private boolean isSoonAllowed() {
        return forbidden && System.nanoTime() - began < GRANTED_WITHIN.toNanos();
    }

    private boolean round() throws InterruptedException {
        forbidden = false;
        try {
            if (version.isEmpty()) {
                list();
            }
            watch();
            return true;
        } catch (ApiFault e) {
            if (e.isGone()) {
                LOG.log(Level.INFO, "{0} is listed again: {1}", target.path(), e.getMessage());
                version = "";
                return false;
            }
            forbidden = e.isForbidden();
            told(e);
        } catch (IOException e) {
            told(e);
        } catch (RuntimeException e) {
            // An object that nobody foresaw: what was known stays, and all is listed again.
            Supervisor.PROCESS.survived("watch " + target.path(), e);
            version = "";
        }
        return false;
    }

    private void told(IOException e) {
        if (!stopped) {
            String why = target.path() + ": " + (e.getMessage() == null ? e.toString() : e.getMessage());
            if (!isSoonAllowed()) {
                LOG.log(Level.INFO, "{0}", why);
            }
            handler.fault(Optional.of(why));
        }
    }

    private void list() throws IOException, InterruptedException {
        handler.listing();
        var all = new LinkedHashMap<String, T>();
        String more = "";
        String listed;
        do {
            String page = "limit=" + PAGE
                    + (more.isEmpty() ? "" : "&continue=" + URLEncoder.encode(more, StandardCharsets.UTF_8));
            try (InputStream body = api.get(target.query(page));
                    JsonParser parser = JacksonJson.FACTORY.createParser(body)) {
                Node metadata = page(parser, all).get("metadata");
                more = metadata.get("continue").text();
                listed = metadata.get("resourceVersion").text();
            }
        } while (!more.isEmpty());
        if (listed.isEmpty()) {
            throw new IOException("a list without a resourceVersion");
        }
        version = listed;
        handler.fault(Optional.empty());
        handler.listed(all);
    }

    // The list without its items, which were taken one by one.
    private Node page(JsonParser parser, Map<String, T> all) throws IOException {
        var rest = new LinkedHashMap<String, Json>();
        expect(parser.nextToken(), JsonToken.START_OBJECT);
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            if (name.equals("items") && parser.currentToken() == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    Node item = Node.of(JacksonJson.value(parser));
                    T object = decoder.apply(item);
                    if (handler.isKept(name(item), object)) {
                        all.put(name(item), object);
                    }
                }
            } else {
                rest.put(name, JacksonJson.value(parser));
            }
        }
        return Node.of(new Json.Members(rest));
    }

    private void watch() throws IOException, InterruptedException {
        Duration length = WATCH.plusSeconds(pace.chance().nextInt(60));
        String query = target.query("watch=1&allowWatchBookmarks=true&timeoutSeconds=" + length.toSeconds()
                + "&resourceVersion=" + URLEncoder.encode(version, StandardCharsets.UTF_8));
        InputStream body = api.get(query);
        handler.fault(Optional.empty());
        // A connection that died without a word would be waited for forever.
        Thread overdue = Thread.ofVirtual().start(() -> closeAfter(body, length.plus(OVERDUE)));
        try (body;
                JsonParser parser = JacksonJson.FACTORY.createParser(body)) {
            while (!stopped && parser.nextToken() != null) {
                event(parser);
            }
        } finally {
            overdue.interrupt();
        }
    }

    private static void closeAfter(InputStream body, Duration time) {
        try {
            Thread.sleep(time);
            body.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it ended in time
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a watch that is overdue could not be closed: {0}", e.getMessage());
        }
    }

    private void event(JsonParser parser) throws IOException {
        expect(parser.currentToken(), JsonToken.START_OBJECT);
        Node event = Node.of(JacksonJson.value(parser));
        Node object = event.get("object");
        switch (event.get("type").text()) {
            case "ADDED", "MODIFIED" -> handler.changed(name(object), Optional.of(decoder.apply(object)));
            case "DELETED" -> handler.changed(name(object), Optional.empty());
            case "BOOKMARK" -> {
                // Nothing happened, up to this version.
            }
            case "ERROR" -> {
                version = "";
                throw new ApiFault(
                        object.get("code").number().orElse(0),
                        object.get("message").text());
            }
            default -> throw new IOException("an event of an unknown type");
        }
        String seen = object.get("metadata").get("resourceVersion").text();
        version = seen.isEmpty() ? version : seen;
    }

    private static String name(Node object) {
        return object.get("metadata").get("name").text();
    }

    private static void expect(@Nullable JsonToken found, JsonToken wanted) throws IOException {
        if (found != wanted) {
            throw new IOException("not what an API server says: " + wanted + " expected, " + found + " found");
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
    }
}
