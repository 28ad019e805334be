package dev.shellac.operator.pods;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks one pod for its state, again and again: an answer comes when there is news, or after half a minute. A pod that answers more often than it should is
 * asked a few times a second, and an answer of more than a mebibyte is none.
 */
final class StatePoll implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatePoll.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    static final int PORT = 8081;
    static final String TOKEN_HEADER = "X-Drain-Token";
    static final int MOST_BYTES = 1 << 20;
    /** Answers that may come at once, and how often one may come after these. */
    static final int BURST = 20;

    static final Duration PACE = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(45);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int SILENT_AFTER = 6;

    /** Who wants to know. Called on the thread that asks. */
    interface Handler {
        /** What the pod wants to hear. */
        String token();

        /** Another state than before. */
        void reported(PodState state);

        /** The pod has not answered several times in a row. */
        void silent();
    }

    private final HttpClient http;
    private final String url;
    private final Handler handler;
    private final Thread thread;
    private volatile boolean closed;
    private long paidUntil = System.nanoTime() - BURST * PACE.toNanos();

    private StatePoll(HttpClient http, String url, Handler handler) {
        this.http = http;
        this.url = url;
        this.handler = handler;
        this.thread = Supervisor.PROCESS.thread("state of " + url, this::run);
    }

    /** Asks the pod at this address. */
    static StatePoll start(HttpClient http, String endpoint, Handler handler) {
        var poll = new StatePoll(http, "http://" + endpoint + "/state", handler);
        poll.thread.start();
        return poll;
    }

    private void run() {
        String version = "";
        int failures = 0;
        try {
            while (!closed) {
                try {
                    PodState state = ask(version);
                    if (!state.version().equals(version) || failures > 0) {
                        version = state.version();
                        handler.reported(state);
                    }
                    failures = 0;
                    pace();
                } catch (IOException | RuntimeException e) {
                    LOG.log(Level.DEBUG, "{0}: {1}", url, e.getMessage());
                    failures++;
                    if (failures == SILENT_AFTER) {
                        handler.silent();
                    }
                    Thread.sleep(pause(failures));
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "{0} is not asked any more", url);
        }
    }

    private static Duration pause(int failures) {
        Duration pause = SHORTEST.multipliedBy(1L << Math.min(failures - 1, 10));
        return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }

    // Each answer costs a moment; moments can be saved up for a burst.
    private void pace() throws InterruptedException {
        long now = System.nanoTime();
        paidUntil = Math.max(paidUntil - now, -BURST * PACE.toNanos()) + now + PACE.toNanos();
        if (paidUntil - now > 0) {
            Thread.sleep(Duration.ofNanos(paidUntil - now));
        }
    }

    private PodState ask(String version) throws IOException, InterruptedException {
        String query = version.isEmpty() ? "" : "?since=" + URLEncoder.encode(version, UTF_8);
        var request = HttpRequest.newBuilder(URI.create(url + query))
                .timeout(PATIENCE)
                .header(TOKEN_HEADER, handler.token())
                .build();
        HttpResponse<byte[]> response = answer(request);
        if (response.statusCode() != 200) {
            throw new IOException("HTTP " + response.statusCode());
        }
        return PodState.of(JSON.readTree(response.body()));
    }

    // The request's own timeout ends with the head of an answer.
    private HttpResponse<byte[]> answer(HttpRequest request) throws IOException, InterruptedException {
        var pending = http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
        try {
            return pending.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(String.valueOf(e.getCause() == null ? e : e.getCause()), e);
        } finally {
            pending.cancel(true);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
