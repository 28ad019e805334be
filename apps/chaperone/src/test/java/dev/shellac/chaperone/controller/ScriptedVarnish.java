package dev.shellac.chaperone.controller;

import dev.shellac.varnishd.VclOutcome;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A varnishd that takes everything, unless it was told what to say next. */
final class ScriptedVarnish implements Varnish {
    private static final Pattern HASH = Pattern.compile("\"hash\":\"([^\"]+)\"");

    final Deque<ReloadAnswer> answers = new ArrayDeque<>();
    final Deque<VclOutcome> outcomes = new ArrayDeque<>();
    final List<String> loaded = new ArrayList<>();
    private final Path table;
    int reloads;
    boolean silent;

    ScriptedVarnish(Path table) {
        this.table = table;
    }

    @Override
    public VclOutcome load(Path vcl) {
        loaded.add(read(vcl));
        VclOutcome said = outcomes.poll();
        return said == null ? new VclOutcome.Live("vcl-" + loaded.size(), Duration.ofMillis(1)) : said;
    }

    @Override
    public ReloadAnswer reload() {
        reloads++;
        ReloadAnswer said = answers.poll();
        return said == null ? live(0) : said;
    }

    /** What the router says of the table on disk. */
    ReloadAnswer live(long deferred) {
        Matcher hash = HASH.matcher(read(table));
        return new ReloadAnswer.Live(
                hash.find() ? Optional.of(hash.group(1)) : Optional.empty(),
                1,
                1,
                1,
                0,
                deferred,
                deferred == 0
                        ? List.of()
                        : List.of(new ReloadAnswer.Refusal(
                                "*", "shop/r", Optional.of(0), "path_match.value", "deferred", "later")),
                Duration.ofMillis(1));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of();
    }

    @Override
    public boolean answers(Duration patience) {
        return !silent;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public boolean isServing() {
        return true;
    }

    @Override
    public boolean wasReplaced() {
        return false;
    }

    @Override
    public Optional<String> lastWords() {
        return Optional.empty();
    }

    @Override
    public void close() {}
}
