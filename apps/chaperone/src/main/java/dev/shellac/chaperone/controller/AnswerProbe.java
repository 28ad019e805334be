package dev.shellac.chaperone.controller;

import dev.shellac.threads.Supervisor;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Whether requests get through varnishd: asked once a second on the control socket, for which varnishd's threads have a reserve. Overload alone
 * is no reason to send traffic elsewhere, so only a varnishd that leaves the question unanswered for ten seconds is not ready.
 */
final class AnswerProbe implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final Supplier<Optional<Varnish>> varnish;
    private final LongSupplier nanoTime;
    private final Semaphore stopped = new Semaphore(0);
    private final Thread thread = Supervisor.PROCESS.thread("answer-probe", this::run);
    private volatile Optional<Long> silentSince = Optional.empty();

    AnswerProbe(Supplier<Optional<Varnish>> varnish, LongSupplier nanoTime) {
        this.varnish = varnish;
        this.nanoTime = nanoTime;
    }

    void start() {
        thread.start();
    }

    private void run() throws InterruptedException {
        do {
            ask();
        } while (!stopped.tryAcquire(PERIOD.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Asks once; returns when there is an answer, or none is to be expected any more. */
    void ask() {
        Optional<Varnish> serving = varnish.get().filter(Varnish::isServing);
        if (serving.isEmpty()) {
            // Whether there is one at all is known without a question.
            silentSince = Optional.empty();
            return;
        }
        silentSince = silentSince.or(() -> Optional.of(nanoTime.getAsLong()));
        if (serving.get().answers(PATIENCE)) {
            silentSince = Optional.empty();
        }
    }

    /** No question is unanswered for too long. */
    boolean isAnswered() {
        return silentSince
                .filter(since -> nanoTime.getAsLong() - since >= PATIENCE.toNanos())
                .isEmpty();
    }

    @Override
    public void close() {
        stopped.release();
        thread.interrupt();
    }
}
