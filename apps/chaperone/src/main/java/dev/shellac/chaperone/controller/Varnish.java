package dev.shellac.chaperone.controller;

import dev.shellac.varnishd.VclOutcome;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** What the loop says to a varnishd. */
public interface Varnish extends AutoCloseable {
    VclOutcome load(Path vcl);

    ReloadAnswer reload();

    Map<String, Long> counters() throws IOException, InterruptedException;

    /** Whether a request gets an answer within this time. */
    boolean answers(Duration patience);

    boolean isAlive();

    /** The process that serves is there. */
    boolean isServing();

    /** The process that serves was replaced since this was asked last. */
    boolean wasReplaced();

    @Override
    void close();

    /** Starts one. */
    @FunctionalInterface
    interface Starter {
        /**
         * Starts a varnishd.
         *
         * @param happened called when it exits or its serving process was replaced; must not block
         */
        Varnish start(Runnable happened) throws IOException;
    }

    /** What it said when it went, if it went. */
    Optional<String> lastWords();
}
