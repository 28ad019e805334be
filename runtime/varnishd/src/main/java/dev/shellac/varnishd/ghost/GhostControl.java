package dev.shellac.varnishd.ghost;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishd.ghost.ReloadAnswer.Live;
import dev.shellac.varnishd.ghost.ReloadAnswer.Refusal;
import dev.shellac.varnishd.ghost.ReloadAnswer.Rejected;
import dev.shellac.varnishd.ghost.ReloadAnswer.Unreachable;
import dev.shellac.varnishd.json.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Ghost's control socket. One request a connection: the end of the answer is then the end of the connection. */
public final class GhostControl {
    private static final String RELOAD = "/.varnish-ghost/reload";
    private static final String READY = "/.varnish-ghost/ready";
    private static final int BUFFER = 16_384;

    private final Path socket;
    private final Duration timeout;

    public GhostControl(Path socket, Duration timeout) {
        this.socket = socket;
        this.timeout = timeout;
    }

    /** Has the table's file loaded; the answer comes when the table is live or refused. */
    public ReloadAnswer reload() {
        try {
            return parse(exchange(RELOAD, timeout));
        } catch (IOException e) {
            return new Unreachable("ghost cannot be reached at " + socket + ": " + e.getMessage());
        }
    }

    /** Whether a request gets an answer, whatever it is. */
    public boolean answers(Duration patience) {
        try {
            return exchange(READY, patience).startsWith("HTTP/1.1 ");
        } catch (IOException e) {
            return false;
        }
    }

    private String exchange(String path, Duration patience) throws IOException {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: ghost\r\nConnection: close\r\n\r\n").getBytes(ISO_8859_1);
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            // A channel in blocking mode knows no time: closing it ends what waits for it.
            Thread watchdog = Thread.ofVirtual().start(() -> closeAfter(channel, patience));
            try {
                for (ByteBuffer out = ByteBuffer.wrap(request); out.hasRemaining(); ) {
                    channel.write(out);
                }
                var answer = new ByteArrayOutputStream();
                ByteBuffer in = ByteBuffer.allocate(BUFFER);
                while (channel.read(in) >= 0) {
                    answer.write(in.array(), 0, in.position());
                    in.clear();
                }
                return answer.toString(UTF_8);
            } finally {
                watchdog.interrupt();
            }
        }
    }

    private static void closeAfter(SocketChannel channel, Duration patience) {
        try {
            Thread.sleep(patience);
            channel.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the answer came
        } catch (IOException e) {
            // It is closed as far as it can be.
        }
    }

    static ReloadAnswer parse(String answer) throws IOException {
        int body = answer.indexOf("\r\n\r\n");
        if (body < 0 || !answer.startsWith("HTTP/1.1 ")) {
            throw new IOException(answer.isEmpty() ? "no answer" : "not an HTTP answer");
        }
        String status = answer.substring("HTTP/1.1 ".length(), answer.indexOf("\r\n"));
        JsonTree json;
        try {
            json = JsonTree.parse(answer.substring(body + "\r\n\r\n".length()));
        } catch (IOException e) {
            throw new IOException("it answered " + status, e);
        }
        return switch (json.get("status").text()) {
            case "live" -> live(json);
            case "refused" ->
                new Rejected(
                        json.get("field").text(),
                        json.get("error").text(),
                        hash(json),
                        json.get("routes").whole());
            default -> throw new IOException("it answered " + status);
        };
    }

    private static Live live(JsonTree json) {
        return new Live(
                hash(json),
                json.get("hosts").whole(),
                json.get("routes").whole(),
                json.get("endpoints").whole(),
                json.get("refused").whole(),
                json.get("deferred").whole(),
                json.get("refusals").items().stream().map(GhostControl::refusal).toList(),
                Duration.ofNanos((long) (json.get("duration_ms").number().orElse(0.0)
                        * Duration.ofMillis(1).toNanos())));
    }

    private static Refusal refusal(JsonTree json) {
        return new Refusal(
                json.get("vhost").text(),
                json.get("route").text(),
                json.get("rule").number().map(Double::intValue),
                json.get("field").text(),
                json.get("effect").text(),
                json.get("message").text());
    }

    private static Optional<String> hash(JsonTree json) {
        return Optional.of(json.get("hash").text()).filter(text -> !text.isEmpty());
    }
}
