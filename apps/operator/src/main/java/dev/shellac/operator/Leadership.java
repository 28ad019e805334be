package dev.shellac.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One of several processes writes: the one that holds the Lease. It gives the Lease back when it ends, so that the next need not wait. */
final class Leadership implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Leadership.class.getName());
    private static final String LEASE = "varnish-gateway-operator";
    private static final Duration HELD = Duration.ofSeconds(35);
    private static final Duration RENEWED_WITHIN = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration RELEASED_WITHIN = Duration.ofSeconds(3);

    private final CountDownLatch won = new CountDownLatch(1);
    private final CompletableFuture<?> election;
    private volatile boolean closing;

    private Leadership(KubernetesClient client, Options.Identity identity, Runnable lost) {
        this.election = client.leaderElector()
                .withConfig(new LeaderElectionConfigBuilder()
                        .withName(LEASE)
                        .withLock(new LeaseLock(identity.namespace(), LEASE, identity.name()))
                        .withLeaseDuration(HELD)
                        .withRenewDeadline(RENEWED_WITHIN)
                        .withRetryPeriod(RETRY)
                        .withReleaseOnCancel(true)
                        .withLeaderCallbacks(new LeaderCallbacks(won::countDown, () -> ended(lost), Leadership::told))
                        .build())
                .build()
                .start();
    }

    /** Stands for election; {@code lost} is called when the Lease is lost though nobody gave it back. */
    static Leadership seek(KubernetesClient client, Options.Identity identity, Runnable lost) {
        return new Leadership(client, identity, lost);
    }

    void awaitWon() throws InterruptedException {
        won.await();
    }

    private void ended(Runnable lost) {
        if (!closing) {
            LOG.log(Level.ERROR, "the Lease is lost");
            lost.run();
        }
    }

    private static void told(@Nullable String leader) {
        if (leader != null && !leader.isEmpty()) {
            LOG.log(Level.INFO, "the leader is {0}", leader);
        }
    }

    @Override
    public void close() {
        closing = true;
        election.cancel(true);
        try {
            election.get(RELEASED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            LOG.log(Level.DEBUG, "the Lease was given back, or runs out: {0}", e.toString());
        }
    }
}
