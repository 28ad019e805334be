package dev.shellac.kube.watch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.Name;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A collection, listed once and watched from there on. A watch that ends is resumed where it ended; where the server has forgotten that
 * place all is listed again, and what is missing then is gone. It never gives up, and it keeps nothing but names.
 */
public final class ListWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ListWatch.class.getName());
    private static final int PAGE = 250;
    private static final Duration WATCH = Duration.ofMinutes(5);
    private static final Duration OVERDUE = Duration.ofSeconds(30);
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    /** Who wants to know. Called on one thread. */
    public interface Handler {
        /** One that is new, or another than it was. */
        void there(RawObject object);

        void gone(Name name);

        /** All that there was at one moment has been said; again after each list. */
        void listed();

        /** Whether all is to be said once more before that, by another list. */
        default boolean asksAgain() {
            return false;
        }
    }

    private final Requests api;
    private final Collection target;
    private final Handler handler;
    private final Optional<ListWatch> last;
    private final Thread thread;
    private final Set<Name> known = new HashSet<>();
    private volatile boolean stopped;
    private volatile @Nullable InputStream open;
    private String version = "";

    private ListWatch(Requests api, Collection target, Handler handler, Optional<ListWatch> last) {
        this.api = api;
        this.target = target;
        this.handler = handler;
        this.last = last;
        this.thread = Supervisor.PROCESS.thread("watch " + target, this::run);
    }

    public static ListWatch start(Requests api, Collection target, Handler handler) {
        var watch = new ListWatch(api, target, handler, Optional.empty());
        watch.thread.start();
        return watch;
    }

    /** Takes the place of another, which ends: what that one said stays said, but for what is not found any more. */
    static ListWatch inPlaceOf(ListWatch last, Requests api, Collection target, Handler handler) {
        var watch = new ListWatch(api, target, handler, Optional.of(last));
        watch.thread.start();
        return watch;
    }

    private void run() {
        int failures = 0;
        version = ""; // after an unexpected end something may have been missed
        last.ifPresent(other -> known.addAll(other.end()));
        try {
            while (!stopped) {
                long start = System.nanoTime();
                boolean good = round();
                // A watch that lasted was good, and one that ends at once is not, however it ends.
                boolean lasted = System.nanoTime() - start > AT_ONCE.toNanos();
                failures = lasted ? (good ? 0 : 1) : failures + 1;
                if (failures > 0 && !stopped) {
                    Thread.sleep(pause(failures));
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "{0} is not watched any more", target);
        }
    }

    private static Duration pause(int failures) {
        Duration longest = SHORTEST.multipliedBy(1L << Math.min(failures - 1, 10));
        Duration pause = longest.compareTo(LONGEST) > 0 ? LONGEST : longest;
        return pause.dividedBy(2).plusMillis(ThreadLocalRandom.current().nextLong(pause.toMillis() / 2 + 1));
    }

    private boolean round() throws InterruptedException {
        try {
            if (version.isEmpty()) {
                list();
            }
            watch();
            return true;
        } catch (ApiFault e) {
            if (e.isGone()) {
                LOG.log(Level.INFO, "{0} is listed again: {1}", target, e.getMessage());
                version = "";
                return false;
            }
            told(e);
        } catch (IOException e) {
            told(e);
        } catch (RuntimeException e) {
            Supervisor.PROCESS.ended();
            LOG.log(Level.WARNING, "what " + target + " said was not understood; it is listed again", e);
            version = "";
        }
        return false;
    }

    private void told(IOException e) {
        if (!stopped) {
            LOG.log(Level.INFO, "{0}: {1}", target, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private void list() throws IOException, InterruptedException {
        Listed listed = pages();
        if (handler.asksAgain()) {
            listed = pages();
        }
        Set<Name> there = listed.all();
        known.stream().filter(name -> !there.contains(name)).toList().forEach(this::gone);
        // Only now: a list that was not finished begins anew.
        version = listed.version();
        handler.listed();
    }

    private record Listed(String version, Set<Name> all) {
        private Listed {
            all = Set.copyOf(all);
        }
    }

    private Listed pages() throws IOException, InterruptedException {
        var all = new HashSet<Name>();
        var page = new Page("", "");
        do {
            String query =
                    "limit=" + PAGE + (page.more().isEmpty() ? "" : "&continue=" + Collection.encoded(page.more()));
            try (InputStream body = api.open(target.query(query), target.ofList());
                    JsonParser parser = RawObject.JSON.createParser(body)) {
                page = page(parser, all);
            }
        } while (!page.more().isEmpty());
        if (page.version().isEmpty()) {
            throw new IOException("a list without a resourceVersion");
        }
        return new Listed(page.version(), all);
    }

    private record Page(String version, String more) {}

    // Items are handed on one by one: a page of large objects is never in memory as a whole.
    private Page page(JsonParser parser, Set<Name> all) throws IOException {
        var page = new Page("", "");
        expect(parser.nextToken(), JsonToken.START_OBJECT);
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            parser.nextToken();
            if (field.equals("items") && parser.currentToken() == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    RawObject object = RawObject.read(parser, target.type(), target.annotations());
                    all.add(object.name());
                    there(object);
                }
            } else if (field.equals("metadata")) {
                page = listMeta(parser);
            } else {
                parser.skipChildren();
            }
        }
        return page;
    }

    private static Page listMeta(JsonParser parser) throws IOException {
        String version = "";
        String more = "";
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "resourceVersion" -> version = parser.getText();
                case "continue" -> more = parser.getText();
                default -> parser.skipChildren();
            }
        }
        return new Page(version, more);
    }

    private void watch() throws IOException, InterruptedException {
        Duration length = WATCH.plusSeconds(ThreadLocalRandom.current().nextInt(60));
        String query = target.query("watch=1&allowWatchBookmarks=true&timeoutSeconds=" + length.toSeconds()
                + "&resourceVersion=" + Collection.encoded(version));
        InputStream body = api.open(query, target.form());
        open = body;
        // A connection that died without a word would be waited for forever.
        Thread overdue = Thread.ofVirtual().start(() -> closeAfter(body, length.plus(OVERDUE)));
        try (body;
                JsonParser parser = RawObject.JSON.createParser(body)) {
            while (!stopped && parser.nextToken() != null) {
                event(parser);
            }
        } finally {
            open = null;
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

    // The server writes the type before the object.
    private void event(JsonParser parser) throws IOException {
        expect(parser.currentToken(), JsonToken.START_OBJECT);
        String type = "";
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "type" -> type = parser.getText();
                case "object" -> object(type, parser);
                default -> parser.skipChildren();
            }
        }
    }

    private void object(String type, JsonParser parser) throws IOException {
        if (type.equals("ERROR")) {
            version = "";
            throw error(parser);
        }
        RawObject object = RawObject.read(parser, target.type(), target.annotations());
        switch (type) {
            case "ADDED", "MODIFIED" -> there(object);
            case "DELETED" -> gone(object.name());
            case "BOOKMARK" -> {
                // Nothing happened, up to this version.
            }
            default -> throw new IOException("an event of an unknown type");
        }
        version = object.version().isEmpty() ? version : object.version();
    }

    private static ApiFault error(JsonParser parser) throws IOException {
        int code = 0;
        String message = "";
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "code" -> code = parser.getIntValue();
                case "message" -> message = parser.getText();
                default -> parser.skipChildren();
            }
        }
        return new ApiFault(code, "", message);
    }

    private void there(RawObject object) {
        known.add(object.name());
        handler.there(object);
    }

    private void gone(Name name) {
        known.remove(name);
        handler.gone(name);
    }

    private static void expect(@Nullable JsonToken found, JsonToken wanted) throws IOException {
        if (found != wanted) {
            throw new IOException("not what an API server says: " + wanted + " expected, " + found + " found");
        }
    }

    /** Ends it; what it last said stays said. */
    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        InputStream body = open;
        if (body != null) {
            closeAfter(body, Duration.ZERO);
        }
    }

    /** Ends it, and says of all that it said that they are gone. */
    public void closeAndForget() {
        end().forEach(this::gone);
    }

    private Set<Name> end() {
        close();
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Set.copyOf(known);
    }
}
