package dev.shellac.chaperone.controller;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.varnishconfig.vcl.UserVclPlace;
import dev.shellac.varnishd.VclOutcome;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The VCL of a pod: the newest that varnishd takes. One that it refuses is tried once; the one before stays, and is what the next
 * varnishd starts with. Where there is none before, it is tried again from time to time: it may have been the compiler that failed.
 */
final class VclUpdater {
    private static final System.Logger LOG = System.getLogger(VclUpdater.class.getName());
    /** Until one that was refused is tried again, where nothing else is in use. */
    static final Duration AGAIN = Duration.ofSeconds(20);

    private final PodFiles files;
    private final Meters meters;
    private Optional<String> good = Optional.empty();
    private Optional<Refusal> refused = Optional.empty();
    private LiveState.Vcl state = LiveState.NOTHING.vcl();

    /** A text that was not taken, and when. */
    private record Refusal(String text, Instant when) {}

    VclUpdater(PodFiles files, Meters meters) throws IOException {
        this.files = files;
        this.meters = meters;
        this.good = files.readVcl();
    }

    LiveState.Vcl state() {
        return state;
    }

    /** A varnishd that was just started has none. */
    void started() {
        state = new LiveState.Vcl(Optional.empty(), Optional.empty(), state.refused());
    }

    /** Where nothing was taken here yet this is what to begin with: others took it, and refuse what is wanted. */
    void beginWith(Optional<String> others) {
        if (good.isEmpty() && state.name().isEmpty()) {
            good = others;
        }
    }

    /**
     * Has varnishd use what it should.
     *
     * @return whether nothing is left to be done
     */
    boolean settle(Varnish varnish, Optional<String> wanted, Instant now) throws IOException {
        boolean done = true;
        forgetRefusal(wanted);
        if (state.name().isEmpty() && good.isPresent() && !wanted.equals(good)) {
            // Something to serve with, before anything new is tried.
            done = load(varnish, good.get(), now);
        }
        if (wanted.isPresent() && !isSettled(wanted.get(), now)) {
            done = load(varnish, wanted.get(), now);
        }
        return done;
    }

    // A refusal is about what is wanted. What was taken back, as by git revert, nobody wants any more.
    private void forgetRefusal(Optional<String> wanted) {
        if (wanted.isPresent() && !refused.map(Refusal::text).equals(wanted)) {
            refused = Optional.empty();
            state = new LiveState.Vcl(state.name(), state.hash(), Optional.empty());
        }
    }

    private boolean isSettled(String text, Instant now) {
        return isLive(text)
                || refused.filter(no -> no.text().equals(text)
                                && (state.name().isPresent()
                                        || now.isBefore(no.when().plus(AGAIN))))
                        .isPresent();
    }

    private boolean isLive(String text) {
        return state.hash().equals(Optional.of(hash(text)));
    }

    private boolean load(Varnish varnish, String text, Instant now) throws IOException {
        files.writeCandidate(text);
        VclOutcome outcome = varnish.load(files.candidate());
        switch (outcome) {
            case VclOutcome.Live live -> {
                meters.vclReloads.increment();
                LOG.log(
                        Level.INFO,
                        "VCL {0} is live, {1} ms",
                        live.name(),
                        live.took().toMillis());
                files.writeVcl(text);
                good = Optional.of(text);
                refused = Optional.empty();
                state = new LiveState.Vcl(Optional.of(live.name()), Optional.of(hash(text)), Optional.empty());
                return true;
            }
            case VclOutcome.Refused no -> {
                meters.vclErrors.increment();
                String words = UserVclPlace.inUsersLines(
                                no.words(), files.candidate().toString(), text)
                        .replace(files.candidate().toString(), "main.vcl");
                LOG.log(Level.WARNING, "VCL refused, the one before stays: {0}", words);
                refused = Optional.of(new Refusal(text, now));
                state = new LiveState.Vcl(state.name(), state.hash(), Optional.of(words));
                return true;
            }
            case VclOutcome.Unknown unknown -> {
                LOG.log(Level.INFO, "VCL not loaded yet: {0}", unknown.why());
                return false;
            }
        }
    }

    /** The text in use with an addition before everything else; not kept. */
    VclOutcome with(Varnish varnish, String addition) throws IOException {
        String text = good.orElseThrow();
        int end = text.indexOf(';', text.indexOf("vcl 4")) + 1;
        files.writeCandidate(text.substring(0, end) + "\n" + addition + text.substring(end));
        return varnish.load(files.candidate());
    }

    static String hash(String text) {
        return "sha256:" + RoutingFile.sha256(text.getBytes(UTF_8));
    }
}
