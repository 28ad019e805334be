package dev.shellac.kube.watch;

import com.fasterxml.jackson.core.JsonParser;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Takes objects in that their namespace had no room for, once it has. Each is read by itself: another list of the kind would cost what all namespaces have, as
 * often as one of them likes.
 */
final class Readmission implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Readmission.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Requests api;
    private final NamespaceShares shares;
    private final Function<GroupKind, Optional<KindWatch>> kindWatches;
    private final Thread thread;

    private Readmission(Requests api, NamespaceShares shares, Function<GroupKind, Optional<KindWatch>> kindWatches) {
        this.api = api;
        this.shares = shares;
        this.kindWatches = kindWatches;
        this.thread = Supervisor.PROCESS.thread("readmission", this::run);
    }

    static Readmission start(
            Requests api, NamespaceShares shares, Function<GroupKind, Optional<KindWatch>> kindWatches) {
        var readmission = new Readmission(api, shares, kindWatches);
        readmission.thread.start();
        return readmission;
    }

    private void run() {
        try {
            while (true) {
                shares.awaitRoom();
                Thread.sleep(PAUSE); // what is deleted together makes room together
                for (ResourceId id : shares.fitting()) {
                    Optional<KindWatch> kindWatch = kindWatches.apply(id.type());
                    if (kindWatch.isPresent()) {
                        read(id, kindWatch.get());
                    }
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "objects without room are not looked at any more");
        }
    }

    private void read(ResourceId id, KindWatch kindWatch) throws InterruptedException {
        try (JsonParser parser =
                RawObject.JSON.createParser(api.get(kindWatch.kind().path(id.name())))) {
            parser.nextToken();
            kindWatch.again(parser);
        } catch (ApiFault e) {
            if (!e.isNotFound()) {
                failed(id, e);
            }
        } catch (IOException e) {
            failed(id, e);
        }
    }

    private void failed(ResourceId id, IOException why) {
        LOG.log(Level.DEBUG, "{0} cannot be read: {1}", id, why.getMessage());
        shares.lookAgain(id);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
