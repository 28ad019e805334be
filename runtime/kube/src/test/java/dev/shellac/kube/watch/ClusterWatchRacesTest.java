package dev.shellac.kube.watch;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.Api;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.testkit.kube.FakeApiServer;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What arrives late, in another order, or as nobody would write it. */
final class ClusterWatchRacesTest implements ClusterWatch.Handler {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String PAIR = "/api/v1/namespaces/shop/secrets/pair";

    private final FakeApiServer server = FakeApiServer.start();
    private final Api api = Api.at(server.url());
    private final AtomicInteger told = new AtomicInteger();
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    ClusterWatchRacesTest() throws Exception {}

    @AfterEach
    void end() {
        api.close();
        server.close();
    }

    @Override
    public void there(Resource resource) {
        names.add(resource.meta().name().toString());
        told.incrementAndGet();
    }

    @Override
    public void gone(Class<? extends Resource> kind, Name name) {
        names.remove(name.toString());
    }

    @Override
    public void unreadable(ClusterWatch.Unreadable object) {}

    @Override
    public void defined(Definitions definitions) {}

    @Override
    public void read() {}

    private class Through implements Requests {
        @Override
        public InputStream open(String path, Form form) throws IOException, InterruptedException {
            return api.requests().open(path, form);
        }

        @Override
        public byte[] get(String path, Form form) throws IOException, InterruptedException {
            return api.requests().get(path, form);
        }

        @Override
        public byte[] send(String method, String path, Sent sent, Form form) throws IOException, InterruptedException {
            return api.requests().send(method, path, sent, form);
        }
    }

    /** A stream that takes its time to end. */
    private static final class Slow extends FilterInputStream {
        private final CountDownLatch end;

        Slow(InputStream body, CountDownLatch end) {
            super(body);
            this.end = end;
        }

        @Override
        public int read(byte[] bytes, int from, int most) throws IOException {
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    // as a read that nothing interrupts
                }
            }
            return -1;
        }

        @Override
        public void close() {
            // it ends when it likes
        }
    }

    @Test
    void aConfigMapThatIsNamedAgainAtOnceIsThere() throws Exception {
        server.put(
                "/api/v1/namespaces/shop/configmaps/ca",
                "{\"metadata\":{\"name\":\"ca\",\"namespace\":\"shop\"},\"data\":{\"ca.crt\":\"x\"}}");
        var end = new CountDownLatch(1);
        var slow = new Through() {
            @Override
            public InputStream open(String path, Form form) throws IOException, InterruptedException {
                boolean watch = path.contains("/configmaps?") && path.contains("watch=1");
                return watch && end.getCount() > 0
                        ? new Slow(InputStream.nullInputStream(), end)
                        : super.open(path, form);
            }
        };
        ResourceId map = ResourceId.of(GroupKind.CONFIG_MAP, "shop", "ca");
        try (ClusterWatch clusterWatch = ClusterWatch.start(slow, this)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            clusterWatch.read(Set.of(map));
            eventually("it is there", () -> names.contains("shop/ca"));
            Thread.sleep(200); // until it is watched
            clusterWatch.read(Set.of());
            int before = told.get();
            clusterWatch.read(Set.of(map));
            eventually("it is read again", () -> told.get() > before);
            end.countDown();
            Thread.sleep(500);
            assertThat(names).contains("shop/ca");
        }
    }

    @Test
    void aKeyPairThatIsMadeAnewWhileItIsReadIsReadAgain() throws Exception {
        secret();
        var once = new Semaphore(1);
        var racing = new Through() {
            @Override
            public byte[] get(String path, Form form) throws IOException, InterruptedException {
                if (path.equals(PAIR) && once.tryAcquire()) {
                    server.remove(PAIR);
                    Thread.sleep(300);
                    secret();
                    Thread.sleep(300);
                    throw new ApiFault(404, "NotFound", "it was gone at that moment");
                }
                return super.get(path, form);
            }
        };
        try (ClusterWatch clusterWatch = ClusterWatch.start(racing, this)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            clusterWatch.read(Set.of(ResourceId.of(GroupKind.SECRET, "shop", "pair")));
            eventually("it is there", () -> names.contains("shop/pair"));
        }
    }

    private void secret() {
        server.put(
                PAIR,
                "{\"type\":\"kubernetes.io/tls\",\"metadata\":{\"name\":\"pair\",\"namespace\":\"shop\"},\"data\":{\"tls.crt\":\"eA==\",\"tls.key\":\"eA==\"}}");
    }

    // The server takes 10,000 levels, and managedFields have no schema.
    @Test
    void anObjectThatIsNestedDeeplyKeepsNobodyFromBeingSeen() throws Exception {
        server.put(
                "/api/v1/namespaces/shop/services/deep",
                "{\"metadata\":{\"name\":\"deep\",\"namespace\":\"shop\",\"managedFields\":[{\"fieldsV1\":\"DEEP\"}]},\"spec\":{}}");
        server.put(
                "/api/v1/namespaces/tenant/services/other",
                "{\"metadata\":{\"name\":\"other\",\"namespace\":\"tenant\"},\"spec\":{}}");
        String deep = "{\"f:a\":".repeat(5_000) + "{}" + "}".repeat(5_000);
        var nesting = new Through() {
            @Override
            public InputStream open(String path, Form form) throws IOException, InterruptedException {
                InputStream body = super.open(path, form);
                if (!path.startsWith("/api/v1/services?") || path.contains("watch=1")) {
                    return body;
                }
                try (body) {
                    String text = new String(body.readAllBytes(), UTF_8);
                    return new ByteArrayInputStream(
                            text.replace("\"DEEP\"", deep).getBytes(UTF_8));
                }
            }
        };
        try (ClusterWatch clusterWatch = ClusterWatch.start(nesting, this)) {
            assertThat(clusterWatch.awaitSynced(SOON)).isTrue();
            assertThat(names).contains("tenant/other", "shop/deep");
        }
    }
}
