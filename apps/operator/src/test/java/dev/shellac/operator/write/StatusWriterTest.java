package dev.shellac.operator.write;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.StatusEdit;
import dev.shellac.kube.write.StatusEdit.Result;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StatusWriterTest {
    private final SilentCluster cluster = new SilentCluster();
    private final StatusWriter statusWriter = StatusWriter.start(
            new StatusEdit(cluster, "example.com/controller", InstantSource.system()), new StatusWriter.Observer() {
                @Override
                public void wrote(StatusUpdate update, Result result) {
                    // Nobody wants to know here.
                }

                @Override
                public void failed(StatusUpdate update, IOException why) {
                    throw new IllegalStateException(why);
                }
            });

    @AfterEach
    void end() {
        statusWriter.close();
        cluster.answer.countDown();
    }

    @Test
    void aServerThatTakesItsTimeIsAskedForSeveralAtOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            statusWriter.submit(update(GroupKind.HTTP_ROUTE, "r" + i));
        }
        for (int i = 0; i < 8; i++) {
            assertThat(cluster.next()).as("question %d", i).startsWith("r");
        }
    }

    @Test
    void aGatewayDoesNotWaitForItsRoutes() throws Exception {
        for (int i = 0; i < 20; i++) {
            statusWriter.submit(update(GroupKind.HTTP_ROUTE, "r" + i));
        }
        for (int i = 0; i < 8; i++) {
            cluster.next();
        }
        statusWriter.submit(update(GroupKind.GATEWAY, "edge"));
        assertThat(cluster.next()).isEqualTo("edge");
    }

    @Test
    void aNamespaceInWhichNothingIsAnsweredDelaysNoOther() throws Exception {
        for (int i = 0; i < 50; i++) {
            statusWriter.submit(update(GroupKind.HTTP_ROUTE, "r" + i));
            statusWriter.submit(update(GroupKind.GATEWAY, "g" + i));
        }
        for (int i = 0; i < 11; i++) {
            cluster.next();
        }
        statusWriter.submit(update(GroupKind.HTTP_ROUTE, "other", "route"));
        assertThat(cluster.next()).isEqualTo("route");
        statusWriter.submit(update(GroupKind.GATEWAY, "other", "gateway"));
        assertThat(cluster.next()).isEqualTo("gateway");
    }

    @Test
    void whatIsForbiddenNowIsWrittenWhenItIsAllowed() throws Exception {
        var tries = new AtomicInteger();
        var forbidding = new NoKubeWriter() {
            @Override
            public Optional<ObjectNode> read(String path) {
                return Optional.of(new JsonMapper().createObjectNode());
            }

            @Override
            public ObjectNode merge(String path, ObjectNode patch) throws IOException {
                if (tries.incrementAndGet() == 1) {
                    throw new ApiFault(403, "Forbidden", "an admission webhook denied the request");
                }
                return patch;
            }
        };
        var quiet = new StatusWriter.Observer() {
            @Override
            public void wrote(StatusUpdate update, Result result) {}

            @Override
            public void failed(StatusUpdate update, IOException why) {}
        };
        try (var own = StatusWriter.start(
                new StatusEdit(forbidding, "example.com/controller", InstantSource.system()), quiet)) {
            own.submit(new StatusUpdate(
                    new ResourceId(GroupKind.GATEWAY, new Name("shop", "edge")),
                    "",
                    "",
                    "edge",
                    Set.of("Accepted"),
                    () -> Map.of("attachedListenerSets", 1),
                    List.of()));
            eventually("it is written", () -> tries.get() == 2);
        }
    }

    @Test
    void aMistakeOfOursInAWriteIsTriedAgain() throws Exception {
        var tries = new AtomicInteger();
        var mistaken = new NoKubeWriter() {
            @Override
            public Optional<ObjectNode> read(String path) {
                if (tries.incrementAndGet() == 1) {
                    throw new IllegalStateException("ours");
                }
                return Optional.empty();
            }
        };
        var failures = new AtomicInteger();
        var counting = new StatusWriter.Observer() {
            @Override
            public void wrote(StatusUpdate update, Result result) {}

            @Override
            public void failed(StatusUpdate update, IOException why) {
                failures.incrementAndGet();
            }
        };
        try (var own = StatusWriter.start(
                new StatusEdit(mistaken, "example.com/controller", InstantSource.system()), counting)) {
            own.submit(update(GroupKind.HTTP_ROUTE, "r"));
            eventually("it is tried again", () -> tries.get() == 2);
            assertThat(failures).hasValue(1);
        }
    }

    private static StatusUpdate update(GroupKind kind, String name) {
        return update(kind, "shop", name);
    }

    private static StatusUpdate update(GroupKind kind, String namespace, String name) {
        return new StatusUpdate(
                new ResourceId(kind, new Name(namespace, name)), "", "", name, Set.of("Accepted"), Map::of, List.of());
    }

    /** Is asked, and does not answer for as long as a test lasts. */
    private static final class SilentCluster extends NoKubeWriter {
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        private final CountDownLatch answer = new CountDownLatch(1);

        String next() throws InterruptedException {
            return Optional.ofNullable(asked.poll(10, TimeUnit.SECONDS)).orElse("nothing");
        }

        @Override
        public Optional<ObjectNode> read(String path) throws InterruptedException {
            asked.add(path);
            answer.await();
            return Optional.empty();
        }
    }
}
