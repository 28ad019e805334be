package dev.shellac.chaperone.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SharedReadingTest {
    private final AtomicInteger readings = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong();

    @Test
    void aHundredCallersShareOneReading() throws Exception {
        var reading = new SharedReading(this::slowly, Duration.ofSeconds(1), clock::get);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<String>>();
            for (int i = 0; i < 100; i++) {
                answers.add(threads.submit(reading::text));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).isEqualTo("reading 1");
            }
        }
        clock.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(reading.text()).isEqualTo("reading 1");
        clock.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(reading.text()).isEqualTo("reading 2");
    }

    private String slowly() throws InterruptedException {
        Thread.sleep(20);
        return "reading " + readings.incrementAndGet();
    }
}
