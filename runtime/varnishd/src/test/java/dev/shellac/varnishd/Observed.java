package dev.shellac.varnishd;

import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An owner that remembers what it was told. */
final class Observed implements VarnishdOwner {
    private static final int SECONDS = 20;

    record Exit(int status, String lastWords) {}

    private final BlockingQueue<Exit> exits = new LinkedBlockingQueue<>();
    private final BlockingQueue<ReloadAnswer> restarts = new LinkedBlockingQueue<>();

    @Override
    public void exited(int status, String lastWords) {
        exits.add(new Exit(status, lastWords));
    }

    @Override
    public void childRestarted(ReloadAnswer reload) {
        restarts.add(reload);
    }

    Exit awaitExit() throws InterruptedException {
        return told(exits.poll(SECONDS, TimeUnit.SECONDS));
    }

    ReloadAnswer awaitRestart() throws InterruptedException {
        return told(restarts.poll(SECONDS, TimeUnit.SECONDS));
    }

    boolean heardNothing() {
        return exits.isEmpty() && restarts.isEmpty();
    }

    private static <T> T told(@org.jspecify.annotations.Nullable T what) {
        if (what == null) {
            throw new AssertionError("the owner was not told within " + SECONDS + " seconds");
        }
        return what;
    }
}
