package dev.shellac.chaperone.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
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
