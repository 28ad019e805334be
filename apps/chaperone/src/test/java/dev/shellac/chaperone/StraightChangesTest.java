package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.varnishconfig.changes.ChangeSet;
import dev.shellac.varnishconfig.changes.ChangeSignature;
import dev.shellac.varnishconfig.changes.KeyAgreementShare;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes that come straight from the operator are served before they are written anywhere; those of others are not served at all. */
final class StraightChangesTest {
    private static final String ROUTING =
            "{\"version\":2,\"listeners\":{\"edge/gw/web\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{\"*\":{\"routes\":[]}}}";
    private static final String BASE = new RoutingFile(ROUTING.getBytes(StandardCharsets.UTF_8)).wholeHash();

    private final KeyAgreementShare operator = share();
    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private Pod pod;

    @BeforeEach
    void start() throws Exception {
        pod = Pod.in(folder);
        pod.slice("a", pod.backend("a"));
        pod.configure(ROUTING);
        written(1, "");
        pod.start();
        pod.awaitReady();
    }

    @AfterEach
    void end() {
        http.close();
        pod.close();
    }

    @Test
    void whatTheOperatorSendsIsServed() throws Exception {
        assertThat(send(delivery(2, change("/a")), seal())).isEqualTo(200);
        pod.awaitAnswer("/a", 200, "a");
        assertThat(send(delivery(2, change("/b")), seal())).as("not newer").isEqualTo(409);
        assertThat(send(delivery(3, change("/c")), seal())).isEqualTo(200);
        pod.awaitAnswer("/c", 200, "a");
        assertThat(pod.get("/a").status()).isEqualTo(404);

        written(2, change("/old"));
        written(4, change("/d"));
        pod.awaitAnswer("/d", 200, "a");
    }

    @Test
    void whatOthersSendIsNot() throws Exception {
        KeyAgreementShare stranger = share();
        ChangeSet forged = delivery(2, change("/a"));
        assertThat(send(forged, stranger.with(pod.key()).orElseThrow())).isEqualTo(409);
        var theirs = new ChangeSet(new ChangeSet.Revision(stranger.open(), 2), BASE, change("/a"));
        assertThat(send(theirs, stranger.with(pod.key()).orElseThrow()))
                .as("sealed well, by somebody who does not write")
                .isEqualTo(409);
        assertThat(post(forged, seal().of(forged), "2", "wrong")).isEqualTo(403);
        assertThat(post(forged, seal().of(forged), "two", Pod.TOKEN)).isEqualTo(400);
        assertThat(send(delivery(2, "x".repeat(128 * 1024 + 1)), seal())).isEqualTo(413);
        assertThat(pod.get("/a").status()).isEqualTo(404);
    }

    @Test
    void changesOfAnotherFileAreNotTaken() throws Exception {
        assertThat(send(delivery(2, change("/a")), seal())).isEqualTo(200);
        pod.awaitAnswer("/a", 200, "a");
        String next = ROUTING + "\n";
        String base = new RoutingFile(next.getBytes(StandardCharsets.UTF_8)).wholeHash();
        var early = new ChangeSet(new ChangeSet.Revision(operator.open(), 3), base, change("/b"));
        assertThat(send(early, seal())).isEqualTo(409);
        assertThat(pod.get("/a").status()).isEqualTo(200);
    }

    @Test
    void whatCannotBeReadLeavesWhatIsServedAndIsSaid() throws Exception {
        assertThat(send(delivery(2, change("/a")), seal())).isEqualTo(200);
        pod.awaitAnswer("/a", 200, "a");
        assertThat(send(delivery(3, "{\"version\":2,\"vhosts\":["), seal())).isEqualTo(200);
        eventually("it is said", () -> pod.state().contains("\"routing.json\":\""));
        assertThat(pod.get("/a").status()).isEqualTo(200);
        assertThat(send(delivery(4, change("/b")), seal())).isEqualTo(200);
        pod.awaitAnswer("/b", 200, "a");
        eventually("all is well", () -> !pod.state().contains("\"routing.json\":\""));
    }

    /** The token is not a secret: who sends many bodies, or one slowly, takes neither the heap nor the turn of others for long. */
    @Test
    void oneBodyIsReadAtATimeAndNoneForLong() throws Exception {
        try (Socket slow = begun("Content-Length: 100\r\n")) {
            Thread.sleep(100);
            assertThat(send(delivery(2, change("/a")), seal()))
                    .as("its turn is long in coming")
                    .isEqualTo(503);
            slow.setSoTimeout(5000);
            assertThat(slow.getInputStream().read())
                    .as("it ends without an answer")
                    .isEqualTo(-1);
            assertThat(send(delivery(2, change("/a")), seal())).isEqualTo(200);
        }
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 50; i++) {
                sockets.add(begun("Content-Length: 131072\r\n"));
            }
            eventually("one is taken", () -> send(delivery(3, change("/b")), seal()) == 200);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        try (Socket large = begun("Content-Length: 131073\r\n")) {
            assertThat(firstLine(large)).contains(" 413 ");
        }
        pod.awaitAnswer("/b", 200, "a");
    }

    // A request whose body does not come.
    private Socket begun(String length) throws IOException {
        URI uri = URI.create(pod.url(ChangeSet.PATH));
        var socket = new Socket(uri.getHost(), uri.getPort());
        String head = "POST " + ChangeSet.PATH + " HTTP/1.1\r\nHost: pod\r\nX-Drain-Token: " + Pod.TOKEN + "\r\n"
                + ChangeSet.NUMBER + ": 9\r\n" + length + "\r\nx";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private static String firstLine(Socket socket) throws IOException {
        socket.setSoTimeout(5000);
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)).readLine();
    }

    private void written(long number, String json) {
        pod.changes(Map.of(
                "base",
                BASE,
                "routing.changes.json",
                json,
                "writer",
                operator.open(),
                "number",
                String.valueOf(number)));
    }

    private ChangeSet delivery(long number, String json) {
        return new ChangeSet(new ChangeSet.Revision(operator.open(), number), BASE, json);
    }

    private ChangeSignature seal() throws IOException {
        return operator.with(pod.key()).orElseThrow();
    }

    private static String change(String path) {
        return "{\"version\":2,\"vhosts\":{\"*\":{\"routes\":[" + Pod.entry(path, "a") + "]}}}";
    }

    private int send(ChangeSet changeSet, ChangeSignature signature) throws Exception {
        return post(
                changeSet,
                signature.of(changeSet),
                String.valueOf(changeSet.revision().number()),
                Pod.TOKEN);
    }

    private int post(ChangeSet changeSet, String signature, String number, String token) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(pod.url(ChangeSet.PATH)))
                .header("X-Drain-Token", token)
                .header(ChangeSet.WRITER, changeSet.revision().writer())
                .header(ChangeSet.NUMBER, number)
                .header(ChangeSet.BASE, changeSet.base())
                .header(ChangeSet.SIGNATURE, signature)
                .POST(BodyPublishers.ofString(changeSet.json()))
                .build();
        return http.send(request, BodyHandlers.ofString()).statusCode();
    }

    private static KeyAgreementShare share() {
        return new KeyAgreementShare(KeyAgreementShare.keys().generateKeyPair());
    }
}
