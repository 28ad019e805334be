package dev.shellac.threads;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SupervisorTest {
    private final Supervisor supervisor = new Supervisor(Duration.ofMillis(1), Duration.ofMillis(4));

    @Test
    void aThreadThatEndsUnexpectedlyIsCountedAndRunsAgain() throws Exception {
        var runs = new AtomicInteger();
        var wait = new CountDownLatch(1);
        Thread thread = supervisor.thread("test", () -> {
            switch (runs.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("a fault of ours, in a test");
                case 2 -> throw new StackOverflowError("another one");
                default -> wait.await();
            }
        });
        thread.start();
        eventually("it runs a third time", () -> runs.get() == 3);
        assertThat(supervisor.ends()).isEqualTo(2);
        assertThat(supervisor.failing()).isEmpty();
        wait.countDown();
        thread.join();
        assertThat(runs)
                .as("one that has done what it should is not started again")
                .hasValue(3);
    }

    @Test
    void aThreadThatEndsAgainAndAgainIsFailingUntilItIsNotWantedAnyMore() throws Exception {
        Thread thread = supervisor.thread("test", () -> {
            throw new IllegalStateException("a fault of ours, in a test");
        });
        thread.start();
        eventually(
                "it is named", () -> supervisor.failing().filter("test"::equals).isPresent());
        thread.interrupt();
        thread.join();
        assertThat(supervisor.failing()).isEmpty();
    }

    @Test
    void aThreadThatRunsAgainForLongEnoughIsNotFailingAnyMore() throws Exception {
        var slow = new Supervisor(Duration.ofMillis(1), Duration.ofMillis(300));
        var runs = new AtomicInteger();
        var wait = new CountDownLatch(1);
        Thread thread = slow.thread("test", () -> {
            if (runs.incrementAndGet() <= Supervisor.FAILING) {
                throw new IllegalStateException("a fault of ours, in a test");
            }
            wait.await();
        });
        thread.start();
        eventually("it is named", () -> slow.failing().isPresent());
        eventually("it is well again", () -> slow.failing().isEmpty());
        assertThat(runs).hasValue(Supervisor.FAILING + 1);
        assertThat(thread.isAlive()).isTrue();
        wait.countDown();
        thread.join();
    }
}
