package dev.shellac.operator.write;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WorkQueueTest {
    private static final Duration SLOW = Duration.ofMillis(50);

    private final WorkQueue queue = WorkQueue.start("test", new WorkQueue.Limits(2, 3, SLOW));
    private final List<String> done = new CopyOnWriteArrayList<>();

    @AfterEach
    void end() {
        queue.close();
    }

    private void add(String namespace, String name) {
        queue.add(new WorkQueue.Key(namespace, name), () -> done.add(namespace + "/" + name));
    }

    @Test
    void aNamespaceInWhichNothingGetsThroughDelaysNobodyElse() throws Exception {
        var never = new CountDownLatch(1);
        var stuck = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            queue.add(new WorkQueue.Key("bad", "" + i), () -> {
                stuck.incrementAndGet();
                never.await();
                return true;
            });
        }
        eventually("it has its share", () -> stuck.get() == 3);
        for (int i = 0; i < 20; i++) {
            add("good", "" + i);
        }
        eventually("all others are done", () -> done.size() == 20);
        assertThat(stuck).as("and no more than its share").hasValue(3);
        never.countDown();
        eventually("then the rest gets its turn", () -> stuck.get() == 20);
    }

    @Test
    void namespacesTakeTurns() throws Exception {
        var gate = new CountDownLatch(1);
        queue.add(new WorkQueue.Key("a", "first"), () -> await(gate));
        queue.add(new WorkQueue.Key("b", "first"), () -> await(gate));
        for (int i = 0; i < 50; i++) {
            add("a", "" + i);
        }
        add("b", "last");
        gate.countDown();
        eventually("all are done", () -> done.size() == 51);
        assertThat(done.indexOf("b/last")).isLessThan(10);
    }

    private static boolean await(CountDownLatch gate) throws InterruptedException {
        gate.await();
        return true;
    }

    @Test
    void oneAtATimeForEachKeyAndTheNewestOnly() throws Exception {
        var gate = new CountDownLatch(1);
        var began = new CountDownLatch(1);
        var key = new WorkQueue.Key("a", "k");
        queue.add(key, () -> {
            began.countDown();
            gate.await();
            return done.add("first");
        });
        began.await();
        queue.add(key, () -> done.add("second"));
        queue.add(key, () -> done.add("third"));
        assertThat(done).isEmpty();
        gate.countDown();
        eventually("two are done", () -> done.size() == 2);
        assertThat(queue.awaitIdle(Duration.ofSeconds(10))).isTrue();
        assertThat(done).containsExactly("first", "third");
    }

    @Test
    void whatFailsIsTriedAgainAlsoAfterAFaultOfOurs() throws Exception {
        var tries = new AtomicInteger();
        queue.add(new WorkQueue.Key("a", "k"), () -> {
            if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("a fault of ours, in a test");
            }
            return tries.get() == 3;
        });
        eventually("it was tried until it was done", () -> tries.get() == 3);
        assertThat(queue.awaitIdle(Duration.ofSeconds(10))).isTrue();
        assertThat(tries).hasValue(3);
    }

    @Test
    void whatIsForLaterWaits() throws Exception {
        queue.addAfter(new WorkQueue.Key("a", "later"), () -> done.add("later"), Duration.ofMillis(300));
        add("a", "now");
        eventually("both are done", () -> done.size() == 2);
        assertThat(done).containsExactly("a/now", "later");
    }
}
