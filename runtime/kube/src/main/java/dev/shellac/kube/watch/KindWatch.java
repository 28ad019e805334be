package dev.shellac.kube.watch;

import com.fasterxml.jackson.core.JsonParser;
import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Finding;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.core.ConfigMap;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The objects of a kind, decoded. One that the decoder refuses is of another release than we are: it is there as far as it could be read, where that is
 * enough to say so in its status, and is said to be unreadable otherwise.
 */
final class KindWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KindWatch.class.getName());
    /** Of an object as JSON. A route with all the rules and matches that there can be has room for 1,000 bytes in each match. */
    static final int MOST_BYTES = 128 * 1024;

    /** What it is about. */
    record Scope(ResourceKind kind, Collection collection, Predicate<Name> wanted, NamespaceShares shares) {}

    private final Scope scope;
    private final ClusterWatch.Handler handler;
    private final Decoding decoding;
    private final ListWatch watch;
    private volatile boolean listed;
    private volatile boolean silent;
    private final ReentrantLock telling = new ReentrantLock();
    private boolean dropped;

    private KindWatch(
            Scope scope,
            ClusterWatch.Handler handler,
            Function<ListWatch.Handler, ListWatch> start,
            Runnable whenListed) {
        this.scope = scope;
        this.handler = handler;
        this.decoding = new Decoding(whenListed);
        this.watch = start.apply(decoding);
    }

    static KindWatch start(Requests api, Scope scope, ClusterWatch.Handler handler, Runnable whenListed) {
        return new KindWatch(scope, handler, own -> ListWatch.start(api, scope.collection(), own), whenListed);
    }

    /** The same objects from another collection: none of them is gone in between. */
    KindWatch moved(Requests api, Scope to, Runnable whenListed) {
        silent = true;
        return new KindWatch(to, handler, own -> ListWatch.inPlaceOf(watch, api, to.collection(), own), whenListed);
    }

    ServedKind kind() {
        return scope.kind().served();
    }

    boolean isListed() {
        return listed;
    }

    /** Looks again at an object for which there was no room, unless it has changed since, which the watch will say. */
    void again(JsonParser parser) throws IOException {
        RawObject object = RawObject.read(
                parser, scope.collection().type(), scope.collection().annotations());
        decoding.tell(object.name(), () -> {
            if (!silent && scope.shares().isWaiting(id(object.name()), object.version())) {
                decoding.decode(object);
            }
        });
    }

    private ResourceId id(Name name) {
        return new ResourceId(kind().type(), name);
    }

    private final class Decoding implements ListWatch.Handler {
        private final Runnable whenListed;

        Decoding(Runnable whenListed) {
            this.whenListed = whenListed;
        }

        @Override
        public void there(RawObject object) {
            tell(object.name(), () -> {
                if (!silent) {
                    decode(object);
                }
            });
        }

        private void tell(Name name, Runnable words) {
            telling.lock();
            try {
                if (!dropped && scope.wanted().test(name)) {
                    words.run();
                }
            } finally {
                telling.unlock();
            }
        }

        private void decode(RawObject object) {
            Optional<String> tooLarge = tooLarge(object);
            Optional<String> noRoom = tooLarge.isPresent() ? Optional.empty() : noRoom(object);
            Decoded decoded = tooLarge.or(() -> noRoom)
                    .map(why -> Decoder.decodeOutline(object.source(), why))
                    .orElseGet(() -> Decoder.decodeStored(List.of(object.source())));
            if (noRoom.isEmpty()) { // which is said once for a namespace
                decoded.errors().stream()
                        .findFirst()
                        .ifPresent(error -> LOG.log(
                                Level.WARNING,
                                "{0} {1} cannot be read: {2}",
                                kind().type().kind(),
                                object.name(),
                                words(error)));
            }
            Optional<Resource> found = decoded.objects().stream().findFirst().map(Decoded.Located::resource);
            if (isKept(object, found)) {
                found.ifPresentOrElse(
                        resource -> {
                            handler.raw(resource, object.json());
                            handler.there(resource);
                        },
                        () -> handler.unreadable(unreadable(object, decoded)));
            }
        }

        // Where the namespace has no room for the outline either, nobody is told anything.
        private boolean isKept(RawObject object, Optional<Resource> found) {
            if (!isBounded(object)) {
                return true;
            }
            if (found.filter(resource -> resource.meta().decodeError().isEmpty())
                    .isPresent()) {
                scope.shares().accept(id(object.name()), object);
                return true;
            }
            int length = found.map(outline -> outline.toString().length()).orElse(0);
            return scope.shares().outline(id(object.name()), length);
        }

        private Optional<String> noRoom(RawObject object) {
            return isBounded(object) ? scope.shares().offer(id(object.name()), object) : Optional.empty();
        }

        private static String words(Finding error) {
            return (error.path().isEmpty() ? "" : error.path() + ": ") + error.message();
        }

        // ConfigMaps hold users' VCL and authorities and are read only where they are named. Any namespace may name
        // them: counted in their own, they would take the room of somebody who named none. Objects of no namespace are
        // not tenants' to write.
        private boolean isBounded(RawObject object) {
            return !object.name().namespace().isEmpty()
                    && !scope.kind().record().equals(ConfigMap.class);
        }

        private Optional<String> tooLarge(RawObject object) {
            if (object.size() <= MOST_BYTES || !isBounded(object)) {
                return Optional.empty();
            }
            scope.shares().refuse(id(object.name()), object);
            return Optional.of("it has " + object.size() + " bytes without its status and its annotations, and at most "
                    + MOST_BYTES + " are taken: split it, or make it smaller");
        }

        private ClusterWatch.Unreadable unreadable(RawObject object, Decoded decoded) {
            String why =
                    decoded.errors().stream().findFirst().map(Decoding::words).orElse("");
            return new ClusterWatch.Unreadable(
                    scope.kind().record(), id(object.name()), kind().apiVersion(), object.uid(), why);
        }

        @Override
        public void gone(Name name) {
            tell(name, () -> {
                scope.shares().gone(id(name));
                handler.gone(scope.kind().record(), name);
            });
        }

        @Override
        public boolean asksAgain() {
            List<ResourceId> younger = scope.shares().preferOldest(kind().type());
            younger.forEach(
                    id -> tell(id.name(), () -> handler.gone(scope.kind().record(), id.name())));
            return !younger.isEmpty();
        }

        @Override
        public void listed() {
            listed = true;
            whenListed.run();
        }
    }

    /** Ends it: it says nothing from now on, and all that it said of this one is taken back at once. */
    void drop(Name name) {
        telling.lock();
        try {
            handler.gone(scope.kind().record(), name);
            dropped = true;
        } finally {
            telling.unlock();
        }
        Thread.ofVirtual().start(watch::close); // which may wait for the server
    }

    /** Ends it, and what it said stays. */
    @Override
    public void close() {
        silent = true;
        watch.close();
    }

    /** Ends it, and takes back what it said. */
    Thread forget() {
        silent = true;
        return Thread.ofVirtual().start(watch::closeAndForget);
    }
}
