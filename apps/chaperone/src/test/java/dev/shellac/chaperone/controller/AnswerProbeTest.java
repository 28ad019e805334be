package dev.shellac.chaperone.controller;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.threads.Supervisor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AnswerProbeTest {
    private final AtomicLong now = new AtomicLong();
    private final ScriptedVarnish varnish = new ScriptedVarnish(Path.of("unused"));
    private Optional<Varnish> running = Optional.of(varnish);
    private final AnswerProbe probe = new AnswerProbe(() -> running, now::get);

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void only_ten_seconds_without_an_answer_count() {
        varnish.silent = true;
        probe.ask();
        after(Duration.ofMillis(9_999));
        probe.ask();
        assertThat(probe.isAnswered()).isTrue();
        after(Duration.ofMillis(1));
        assertThat(probe.isAnswered()).isFalse();
    }

    @Test
    void an_answer_ends_the_silence() {
        varnish.silent = true;
        probe.ask();
        after(Duration.ofSeconds(20));
        varnish.silent = false;
        probe.ask();
        assertThat(probe.isAnswered()).isTrue();
        varnish.silent = true;
        probe.ask();
        after(Duration.ofSeconds(5));
        assertThat(probe.isAnswered()).isTrue();
    }

    @Test
    void a_fault_of_ours_does_not_end_the_questions() throws Exception {
        var asked = new AtomicInteger();
        long before = Supervisor.PROCESS.ends();
        try (var other = new AnswerProbe(
                () -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new IllegalStateException("a fault of ours, in a test");
                    }
                    return running;
                },
                now::get)) {
            other.start();
            eventually("it asks again", () -> asked.get() > 1);
        }
        assertThat(Supervisor.PROCESS.ends()).isGreaterThan(before);
    }

    @Test
    void what_does_not_serve_is_not_asked() {
        varnish.silent = true;
        probe.ask();
        after(Duration.ofSeconds(20));
        running = Optional.empty();
        probe.ask();
        assertThat(probe.isAnswered()).isTrue();
        running = Optional.of(varnish);
        probe.ask();
        assertThat(probe.isAnswered()).isTrue();
    }
}
