package dev.shellac.operator.fleet;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Asks one pod for its state, again and again: an answer comes when there is news, or after half a minute. */
final class StatePoll implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatePoll.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    static final int PORT = 8081;
    static final String TOKEN_HEADER = "X-Drain-Token";
    private static final Duration PATIENCE = Duration.ofSeconds(45);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private final HttpClient http;
    private final String url;
    private final Supplier<String> token;
    private final Consumer<PodState> news;
    private final Thread thread;
    private volatile boolean closed;

    private StatePoll(HttpClient http, String url, Supplier<String> token, Consumer<PodState> news) {
        this.http = http;
        this.url = url;
        this.token = token;
        this.news = news;
        this.thread = Thread.ofVirtual().name("state of " + url).unstarted(this::run);
    }

    /** Asks the pod at this address. */
    static StatePoll start(HttpClient http, String door, Supplier<String> token, Consumer<PodState> news) {
        var poll = new StatePoll(http, "http://" + door + "/state", token, news);
        poll.thread.start();
        return poll;
    }

    private void run() {
        String version = "";
        Duration pause = SHORTEST;
        try {
            while (!closed) {
                try {
                    PodState state = ask(version);
                    if (!state.version().equals(version)) {
                        version = state.version();
                        news.accept(state);
                    }
                    pause = SHORTEST;
                } catch (IOException e) {
                    LOG.log(Level.DEBUG, "{0}: {1}", url, e.getMessage());
                    Thread.sleep(pause);
                    pause = pause.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : pause.multipliedBy(2);
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "{0} is not asked any more", url);
        }
    }

    private PodState ask(String version) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(version.isEmpty() ? url : url + "?since=" + version))
                .timeout(PATIENCE)
                .header(TOKEN_HEADER, token.get())
                .build();
        var response = http.send(request, BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("HTTP " + response.statusCode());
        }
        return PodState.of(JSON.readTree(response.body()));
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
