package dev.shellac.operator.pods;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.shellac.model.Name;
import dev.shellac.varnishconfig.changes.ChangeSet;
import dev.shellac.varnishconfig.changes.KeyAgreementShare;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a pod gets, and what happens when it does not want it. */
final class HttpChangePusherTest {
    private static final PodRegistry.Key GATEWAY = new PodRegistry.Key("shop", "edge");

    private final KeyAgreementShare share = share();
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicInteger lost = new AtomicInteger();
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
    private final List<Pod> pods = new ArrayList<>(List.of(pod("one", true)));
    private final AtomicInteger sent = new AtomicInteger();
    private final Semaphore busy = new Semaphore(1);
    private volatile boolean endless;
    private volatile int answer = 200;
    private String version = "1";
    private String token = "a token";
    private String key = share.open();
    private final HttpChangePusher pusher = new HttpChangePusher(
            gateway -> new PodRegistry.GatewayPods(pods, Map.of("one", state()), Set.of(), List.of()),
            gateway -> token,
            server.getAddress().getPort());

    HttpChangePusherTest() throws IOException {
        server.createContext(ChangeSet.PATH, exchange -> {
            try (exchange) {
                var headers = exchange.getRequestHeaders();
                var changeSet = new ChangeSet(
                        new ChangeSet.Revision(
                                headers.getFirst(ChangeSet.WRITER), Long.parseLong(headers.getFirst(ChangeSet.NUMBER))),
                        headers.getFirst(ChangeSet.BASE),
                        new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                assertThat(headers.getFirst("X-Drain-Token")).isEqualTo("a token");
                boolean good = share.with(changeSet.revision().writer())
                        .orElseThrow()
                        .verifies(changeSet, headers.getFirst(ChangeSet.SIGNATURE));
                taken.add(changeSet.json() + " " + (good ? "sealed" : "forged"));
                busy.acquireUninterruptibly();
                busy.release();
                exchange.sendResponseHeaders(answer, endless ? 0 : -1);
                byte[] some = new byte[64 * 1024];
                while (endless) {
                    exchange.getResponseBody().write(some);
                    sent.addAndGet(some.length);
                }
            }
        });
        server.start();
    }

    @AfterEach
    void end() {
        pusher.close();
        server.stop(0);
    }

    @Test
    void aPodGetsWhatItCanTellIsOurs() throws Exception {
        assertThat(bring("a")).isTrue();
        eventually("taken", () -> taken.equals(List.of("a sealed")));
        assertThat(pusher.nextRevision().number()).isGreaterThan(1);
        assertThat(lost).hasValue(0);
    }

    @Test
    void aPodThatDoesNotTakeItIsLeftAloneUntilItTellsAnotherState() throws Exception {
        answer = 409;
        assertThat(bring("a")).isTrue();
        eventually("lost", () -> lost.get() == 1);
        assertThat(bring("b")).as("it reads what is written").isFalse();
        answer = 200;
        version = "2";
        assertThat(bring("c")).isTrue();
        eventually("taken", () -> taken.equals(List.of("a sealed", "c sealed")));
    }

    @Test
    void afterAFaultOfOursAPodGetsWhatComesNext() throws Exception {
        token = "no\nheader";
        assertThat(bring("a")).isTrue();
        eventually("lost", () -> lost.get() == 1);
        token = "a token";
        version = "2";
        assertThat(bring("b")).isTrue();
        eventually("taken", () -> taken.equals(List.of("b sealed")));
    }

    @Test
    void aPodThatCannotBeReachedIsLost() throws Exception {
        server.stop(0);
        assertThat(bring("a")).isTrue();
        eventually("lost", () -> lost.get() == 1);
    }

    @Test
    void ofAnAnswerWithoutEndLittleIsRead() throws Exception {
        endless = true;
        assertThat(bring("a")).isTrue();
        eventually("it is given up", () -> lost.get() == 1 || sent.get() > 100 << 20);
        assertThat(sent).hasValueLessThan(16 << 20);
    }

    @Test
    void aPodGetsOneAtATimeAndOfThoseThatWaitTheNewest() throws Exception {
        busy.acquire();
        assertThat(bring("a")).isTrue();
        eventually("the first is on its way", () -> taken.size() == 1);
        for (String changes : List.of("b", "c", "d")) {
            assertThat(bring(changes)).isTrue();
        }
        busy.release();
        eventually("the newest follows", () -> taken.equals(List.of("a sealed", "d sealed")));
        assertThat(bring("e")).isTrue();
        eventually("and what comes later", () -> taken.equals(List.of("a sealed", "d sealed", "e sealed")));
        assertThat(lost).hasValue(0);
    }

    @Test
    void onlyWhatServesCounts() {
        assertThat(bring("a")).isTrue();
        pods.add(pod("two", false));
        assertThat(bring("b"))
                .as("one that does not serve yet reads what is written")
                .isTrue();
        pods.add(pod("three", true));
        assertThat(bring("c")).as("nothing is known of that one").isFalse();
        pods.clear();
        assertThat(bring("d")).as("nobody waits for it").isTrue();
    }

    @Test
    void aPodWithoutAKeyTakesNothing() {
        key = "";
        assertThat(bring("a")).isFalse();
        key = "no key at all";
        assertThat(bring("a")).isFalse();
        assertThat(taken).isEmpty();
    }

    private boolean bring(String json) {
        return pusher.push(GATEWAY, new ChangeSet(pusher.nextRevision(), "sha256:0", json), lost::incrementAndGet);
    }

    private PodState state() {
        return new PodState(
                version,
                key,
                true,
                new ConfigRevision("", "", ""),
                Optional.of(""),
                List.of(),
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of());
    }

    private static Pod pod(String uid, boolean ready) {
        return new Pod(
                new Name("shop", uid), uid, "edge", "rs", Optional.of("127.0.0.1"), ready, false, "", Optional.empty());
    }

    private static KeyAgreementShare share() {
        return new KeyAgreementShare(KeyAgreementShare.keys().generateKeyPair());
    }
}
