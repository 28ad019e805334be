package dev.shellac.operator.write;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.api.Requests;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.pods.PodRegistry;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects with our labels that tenants make, and what is kept of them. */
final class OwnedObjectCacheTest implements Requests, OwnedObjectCache.Handler {
    private static final String OURS = "\"labels\":{\"" + Labels.MANAGED_BY + "\":\"" + Labels.OPERATOR + "\"}";
    private static final String LONG = "x".repeat(255 * 1024);
    private static final String CHILD = ",\"ownerReferences\":[{\"apiVersion\":\"gateway.networking.k8s.io/v1\","
            + "\"kind\":\"Gateway\",\"name\":\"edge\",\"uid\":\"own\"}]";

    private final CountDownLatch end = new CountDownLatch(1);
    private List<IntFunction<String>> tenants = List.of();
    private int each;
    private Optional<OwnedObjectCache> ownedObjects = Optional.empty();

    @AfterEach
    void end() {
        end.countDown();
        ownedObjects.ifPresent(OwnedObjectCache::close);
    }

    private Map<ObjectKey, OwnedObjectCache.Observed> seen(int count, List<IntFunction<String>> metas)
            throws Exception {
        each = count;
        tenants = metas;
        ownedObjects = Optional.of(OwnedObjectCache.start(this, this));
        assertThat(ownedObjects.orElseThrow().awaitSynced(Duration.ofSeconds(60)))
                .isTrue();
        return ownedObjects.orElseThrow().all();
    }

    private static String meta(String namespace, String name, String more) {
        return "{\"name\":\"" + name + "\",\"namespace\":\"" + namespace + "\",\"uid\":\"u\",\"resourceVersion\":\"5\","
                + OURS + more + "}";
    }

    private static String annotated(String gateway, String uid) {
        return ",\"annotations\":{\"" + Labels.GATEWAY + "\":\"" + gateway + "\",\"" + Labels.GATEWAY_UID + "\":\""
                + uid + "\"}";
    }

    private static String owner(String name, String uid) {
        return CHILD.replace("edge", name).replace("own\"}", uid + "\"}");
    }

    @Test
    void whatNoGatewayCanBeCalledIsNotKept() throws Exception {
        Map<ObjectKey, OwnedObjectCache.Observed> all = seen(
                200,
                List.of(
                        i -> meta("tenant", "a" + i, annotated("a/b", i + LONG)),
                        i -> meta("tenant", "b" + i, annotated(i + LONG, "u")),
                        i -> meta("tenant", "c" + i, owner(i + LONG, "u")),
                        i -> meta("tenant", "d" + i, owner("edge", i + LONG)),
                        i -> meta("tenant", "e" + i, ",\"annotations\":{\"other\":\"" + i + LONG + "\"}"),
                        i -> meta("shop", "child" + i, CHILD)));
        assertThat(all.keySet())
                .allSatisfy(key -> assertThat(key.name().namespace()).isEqualTo("shop"))
                .hasSize(200);
    }

    @Test
    void aNamespaceFillsItsOwnPartAlone() throws Exception {
        String owners = IntStream.range(0, 100)
                .mapToObj(i -> "{\"apiVersion\":\"gateway.networking.k8s.io/v1\",\"kind\":\"Gateway\",\"name\":\""
                        + "n".repeat(253) + "\",\"uid\":\"" + "u".repeat(128) + "\"}")
                .reduce((one, other) -> one + "," + other)
                .orElseThrow();
        Map<ObjectKey, OwnedObjectCache.Observed> all = seen(
                3_000,
                List.of(
                        i -> meta("tenant", "a" + i, ",\"ownerReferences\":[" + owners + "]"),
                        i -> meta("shop", "child" + i, CHILD)));
        assertThat(all.keySet().stream()
                        .filter(key -> key.name().namespace().equals("shop"))
                        .count())
                .isEqualTo(3_000);
        long kept = all.values().stream()
                .filter(observed -> observed.gateway().namespace().equals("tenant"))
                .mapToLong(observed -> observed.ownership().owners().stream()
                        .mapToLong(owner -> owner.name().length() + owner.uid().length())
                        .sum())
                .sum();
        assertThat(kept).isBetween(1L << 20, 4L << 20);
    }

    @Override
    public InputStream open(String path, Form form) throws InterruptedException {
        if (path.contains("watch=1")) {
            end.await();
        }
        Stream<String> items = path.contains("/configmaps")
                ? tenants.stream().flatMap(meta -> IntStream.range(0, each).mapToObj(meta))
                : Stream.empty();
        Stream<String> parts = Stream.of(
                        Stream.of("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{\"metadata\":"
                                + meta("none", "none", "") + "}"),
                        items.map(meta -> ",{\"metadata\":" + meta + "}"),
                        Stream.of("]}"))
                .flatMap(part -> part);
        return new Texts(parts.iterator());
    }

    @Override
    public byte[] get(String path, Form form) {
        throw new UnsupportedOperationException();
    }

    @Override
    public byte[] send(String method, String path, Sent sent, Form form) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void touched(ObjectKey object, PodRegistry.Key gateway) {}

    @Override
    public void gone(ObjectKey object, PodRegistry.Key gateway) {}

    /** One text after the other: all of them would take more memory than a test has. */
    private static final class Texts extends InputStream {
        private final Iterator<String> texts;
        private ByteArrayInputStream current = new ByteArrayInputStream(new byte[0]);

        Texts(Iterator<String> texts) {
            this.texts = texts;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) {
            while (current.available() == 0 && texts.hasNext()) {
                current = new ByteArrayInputStream(texts.next().getBytes(UTF_8));
            }
            return current.read(bytes, from, length);
        }
    }
}
