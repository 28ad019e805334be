package dev.shellac.varnishd;

import dev.shellac.varnishd.cli.CliCommand;
import dev.shellac.varnishd.cli.CliLink;
import dev.shellac.varnishd.cli.CliOutcome;
import dev.shellac.varnishd.json.JsonTree;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The VCLs of one varnishd: a file is loaded under a name of its own, used, and the last few are kept to go back to. An answer that
 * never came is settled by reading the list; nothing is loaded twice.
 */
final class Vcls {
    private static final System.Logger LOG = System.getLogger(Vcls.class.getName());

    /** One that varnishd has. */
    record Loaded(String name, boolean active) {}

    private final CliLink link;
    private final Patience patience;
    private final String prefix;
    private final int kept;
    private final List<String> history = new ArrayList<>();
    private volatile Optional<String> wanted = Optional.empty();
    private int count;

    /**
     * For a varnishd that was just started.
     *
     * @param birth told apart from every other start
     * @param kept how many are kept, the one in use included
     */
    Vcls(CliLink link, Patience patience, long birth, int kept) {
        this.link = link;
        this.patience = patience;
        this.prefix = "shellac-" + Long.toString(birth, Character.MAX_RADIX);
        this.kept = kept;
    }

    /** The one that shall be in use. */
    Optional<String> wanted() {
        return wanted;
    }

    synchronized VclOutcome load(Path file) {
        long start = System.nanoTime();
        String name = prefix + "-" + ++count;
        CliOutcome loaded = link.send(CliCommand.of("vcl.load", name, file.toString()), patience.load());
        if (loaded instanceof CliOutcome.Answered answer && !answer.isOk()) {
            return new VclOutcome.Refused(CompilerWords.of(answer.text()));
        }
        if (loaded instanceof CliOutcome.NotSent notSent) {
            return new VclOutcome.Unknown(notSent.why());
        }
        if (loaded instanceof CliOutcome.Unknown unknown && !has(name)) {
            return new VclOutcome.Unknown(unknown.why() + "; it is not among the loaded ones");
        }
        return use(name, start);
    }

    /** Back to the one that was in use before. */
    synchronized VclOutcome rollback() {
        int now = history.size() - 1;
        if (now < 1) {
            return new VclOutcome.Unknown("there is no earlier VCL");
        }
        VclOutcome outcome = use(history.get(now - 1), System.nanoTime());
        if (outcome instanceof VclOutcome.Live) {
            // The one that is left is not what the next rollback goes to.
            history.removeLast();
            history.remove(now - 1);
            history.addLast(wanted.orElseThrow());
        }
        return outcome;
    }

    private VclOutcome use(String name, long start) {
        CliOutcome used = link.send(CliCommand.of("vcl.use", name), patience.command());
        boolean done = switch (used) {
            case CliOutcome.Answered answer -> answer.isOk();
            case CliOutcome.Unknown unknown -> active().filter(name::equals).isPresent();
            case CliOutcome.NotSent notSent -> false;
        };
        if (!done) {
            return used instanceof CliOutcome.Answered
                    ? new VclOutcome.Refused(used.words())
                    : new VclOutcome.Unknown(used.words());
        }
        wanted = Optional.of(name);
        history.add(name);
        discardOld();
        return new VclOutcome.Live(name, Duration.ofNanos(System.nanoTime() - start));
    }

    /** Has varnishd use what it should, if it does not. */
    synchronized void restore() {
        Optional<String> should = wanted;
        if (should.isPresent() && !active().equals(should)) {
            CliOutcome used = link.send(CliCommand.of("vcl.use", should.get()), patience.command());
            LOG.log(Level.WARNING, "varnishd did not use VCL {0} any more: {1}", should.get(), used.words());
        }
    }

    private void discardOld() {
        List<Loaded> all = list().orElse(List.of());
        int surplus = all.size() - kept;
        for (Loaded old : all) {
            if (surplus <= 0) {
                return;
            }
            if (!old.active() && old.name().startsWith(prefix)) {
                surplus--;
                history.remove(old.name());
                CliOutcome outcome = link.send(CliCommand.of("vcl.discard", old.name()), patience.command());
                if (!outcome.isDone()) {
                    LOG.log(Level.INFO, "VCL {0} is kept for now: {1}", old.name(), outcome.words());
                }
            }
        }
    }

    private Optional<String> active() {
        return list().stream()
                .flatMap(List::stream)
                .filter(Loaded::active)
                .map(Loaded::name)
                .findFirst();
    }

    private boolean has(String name) {
        return list().stream().flatMap(List::stream).anyMatch(vcl -> vcl.name().equals(name));
    }

    /** What varnishd has, oldest first; nothing if it cannot be asked. */
    Optional<List<Loaded>> list() {
        CliOutcome outcome = link.send(CliCommand.of("vcl.list", "-j"), patience.load());
        if (!(outcome instanceof CliOutcome.Answered answer) || !answer.isOk()) {
            return Optional.empty();
        }
        try {
            return Optional.of(JsonTree.parse(answer.text()).items().stream()
                    // A discarded one stays listed until the last request is done with it.
                    .filter(item -> !item.get("name").text().isEmpty()
                            && !item.get("status").text().equals("discarded"))
                    .map(item -> new Loaded(
                            item.get("name").text(), item.get("status").text().equals("active")))
                    .toList());
        } catch (IOException e) {
            LOG.log(Level.WARNING, "vcl.list answered what is no JSON: {0}", e.getMessage());
            return Optional.empty();
        }
    }
}
