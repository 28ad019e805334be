package dev.shellac.operator;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.threads.Supervisor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads of the process that end by a mistake of ours show where somebody looks. */
final class ThreadsTest {
    private static final String METRIC = "shellac_operator_threads_ended_total";

    private final Stage stage = new Stage();

    ThreadsTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    private double ended() throws Exception {
        return stage.metrics().stream()
                .filter(line -> line.startsWith(METRIC))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void aThreadThatEndsAgainAndAgainIsCountedAndMakesTheProcessUnhealthy() throws Exception {
        stage.start();
        double before = ended();
        assertThat(stage.health().statusCode()).isEqualTo(200);
        Thread thread = Supervisor.PROCESS.thread("a test", () -> {
            throw new IllegalStateException("a fault of ours, in a test");
        });
        thread.start();
        try {
            eventually("the process is not healthy", () -> stage.health().statusCode() != 200);
            assertThat(stage.health().body()).contains("thread a test ends again and again");
            assertThat(ended() - before).isGreaterThanOrEqualTo(Supervisor.FAILING);
        } finally {
            thread.interrupt();
            thread.join();
        }
        assertThat(stage.health().statusCode()).isEqualTo(200);
    }
}
