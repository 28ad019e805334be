package dev.shellac.chaperone.controller;

import dev.shellac.varnishd.Patience;
import dev.shellac.varnishd.Varnishd;
import dev.shellac.varnishd.VarnishdOwner;
import dev.shellac.varnishd.VarnishdSettings;
import dev.shellac.varnishd.VclOutcome;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A real one. */
public final class StartedVarnishd implements Varnish {
    private final Varnishd varnishd;
    private final ProcessEvents events;

    private StartedVarnishd(Varnishd varnishd, ProcessEvents events) {
        this.varnishd = varnishd;
        this.events = events;
    }

    public static Starter with(VarnishdSettings settings, InstantSource clock) {
        return happened -> {
            var events = new ProcessEvents(happened);
            return new StartedVarnishd(Varnishd.start(settings, Patience.usual(), events, clock), events);
        };
    }

    @Override
    public VclOutcome load(Path vcl) {
        return varnishd.load(vcl);
    }

    @Override
    public ReloadAnswer reload() {
        return varnishd.reload();
    }

    @Override
    public Map<String, Long> counters() throws IOException, InterruptedException {
        return varnishd.counters();
    }

    @Override
    public boolean answers(Duration patience) {
        return varnishd.answers(patience);
    }

    @Override
    public boolean isAlive() {
        return varnishd.isAlive();
    }

    @Override
    public boolean isServing() {
        return varnishd.isAlive() && varnishd.worker().isPresent();
    }

    @Override
    public boolean wasReplaced() {
        return events.replaced.getAndSet(false);
    }

    @Override
    public Optional<String> lastWords() {
        return events.lastWords;
    }

    @Override
    public void close() {
        varnishd.close();
    }

    private static final class ProcessEvents implements VarnishdOwner {
        private final Runnable happened;
        private final AtomicBoolean replaced = new AtomicBoolean();
        private volatile Optional<String> lastWords = Optional.empty();

        ProcessEvents(Runnable happened) {
            this.happened = happened;
        }

        @Override
        public void exited(int status, String words) {
            lastWords = Optional.of("varnishd exited with " + status + (words.isEmpty() ? "" : ": " + words));
            happened.run();
        }

        @Override
        public void childRestarted(ReloadAnswer reload) {
            replaced.set(true);
            happened.run();
        }
    }
}
