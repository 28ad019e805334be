package dev.shellac.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Every kind that the translation reads, as records. A kind is watched from the moment its definition is served until it is gone. ConfigMaps and Secrets are
 * read only where they are named ({@link #read}): a cluster may hold thousands that are not ours to read.
 */
public final class ClusterWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ClusterWatch.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    private static final String BUNDLE = "gateway.networking.k8s.io/bundle-version";
    private static final String CHANNEL = "gateway.networking.k8s.io/channel";
    private static final Collection DEFINITIONS = Collection.of(
                    Collection.path("apiextensions.k8s.io/v1", "customresourcedefinitions"),
                    new RawObject.Type("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
            .metadata()
            .annotated(Set.of(BUNDLE, CHANNEL));
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final int MOST_TRIES = 40;

    /** Who wants to know. Called on many threads. */
    public interface Handler {
        /** As the server has it; called before {@link #there}. */
        default void raw(Resource resource, byte[] json) {}

        void there(Resource resource);

        void gone(Class<? extends Resource> kind, Name name);

        /** It is there in a form of which not even the outline can be read. */
        void unreadable(Unreadable object);

        void defined(Definitions definitions);

        /** One that was asked for by name was read, or is known not to be there. */
        void read();
    }

    /** An object of a release that we do not know. */
    public record Unreadable(
            Class<? extends Resource> kind, ResourceId id, String apiVersion, String uid, String why) {}

    /**
     * How much is kept.
     *
     * @param annotations those that somebody reads
     */
    public record Reading(Set<String> annotations, NamespaceShares shares) {
        public Reading {
            annotations = Set.copyOf(annotations);
        }
    }

    private record Labels(String bundle, String channel) {}

    private final Requests api;
    private final Handler handler;
    private final Reading reading;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<GroupKind, KindWatch> kindWatches = new HashMap<>();
    private final Map<Name, KindWatch> configMaps = new HashMap<>();
    private final KeyPairs keyPairs;
    private final Readmission readmission;
    private final Map<String, Labels> crds = new HashMap<>();
    private Definitions definitions = Definitions.NONE;
    private ListWatch crdWatch;
    private boolean asked;
    private int impatience = MOST_TRIES;
    private boolean outdated;
    private boolean closed;

    private ClusterWatch(Requests api, Handler handler, Reading reading) {
        this.api = api;
        this.handler = handler;
        this.reading = reading;
        this.keyPairs = KeyPairs.start(api, handler, this::signal);
        this.crdWatch = ListWatch.start(api, DEFINITIONS, new CrdHandler());
        this.readmission = Readmission.start(api, reading.shares(), this::find);
    }

    /** Reads all but annotations, however much there is. */
    public static ClusterWatch start(Requests api, Handler handler) {
        return start(api, handler, new Reading(Set.of(), NamespaceShares.ofHeap(Long.MAX_VALUE)));
    }

    /** Starts watching. */
    public static ClusterWatch start(Requests api, Handler handler, Reading reading) {
        var clusterWatch = new ClusterWatch(api, handler, reading);
        Supervisor.PROCESS.thread("definitions", clusterWatch::define).start();
        return clusterWatch;
    }

    /** Waits until every kind that there is was listed once. */
    public boolean awaitSynced(Duration patience) throws InterruptedException {
        return await(
                () -> asked
                        && keyPairs.isListed()
                        && kindWatches.values().stream().allMatch(KindWatch::isListed),
                patience);
    }

    /** The ConfigMaps and Secrets that are to be read from now on, and no others. Returns at once. */
    public void read(Set<ResourceId> wanted) {
        Set<Name> maps = names(wanted, GroupKind.CONFIG_MAP);
        lock.lock();
        try {
            configMaps.entrySet().removeIf(entry -> {
                boolean dropped = !maps.contains(entry.getKey());
                if (dropped) {
                    // At once: it may be named again before a thread has ended.
                    entry.getValue().drop(entry.getKey());
                }
                return dropped;
            });
            maps.stream()
                    .filter(name -> !configMaps.containsKey(name))
                    .forEach(name -> configMaps.put(name, one(name)));
        } finally {
            lock.unlock();
        }
        keyPairs.read(names(wanted, GroupKind.SECRET));
    }

    private static Set<Name> names(Set<ResourceId> wanted, GroupKind type) {
        return wanted.stream()
                .filter(id -> id.type().equals(type))
                .map(ResourceId::name)
                .collect(Collectors.toSet());
    }

    /** Whether one that was asked for was read, or is known not to be there. */
    public boolean isRead(ResourceId wanted) {
        if (wanted.type().equals(GroupKind.SECRET)) {
            return keyPairs.isRead(wanted.name());
        }
        lock.lock();
        try {
            return Optional.ofNullable(configMaps.get(wanted.name()))
                    .filter(KindWatch::isListed)
                    .isPresent();
        } finally {
            lock.unlock();
        }
    }

    private KindWatch one(Name name) {
        ServedKind kind = Discovery.core(GroupKind.CONFIG_MAP);
        String path = Collection.path("v1", "namespaces/" + name.namespace() + "/configmaps");
        Collection one = Collection.of(path, kind.all().type()).withFields("metadata.name=" + name.name());
        return KindWatch.start(api, scope(kind, one, name::equals), handler, handler::read);
    }

    private boolean await(BooleanSupplier reached, Duration patience) throws InterruptedException {
        lock.lock();
        try {
            long left = patience.toNanos();
            while (!reached.getAsBoolean() && left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
            return reached.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private KindWatch kindWatch(ServedKind kind, Collection collection, Predicate<Name> wanted) {
        return KindWatch.start(api, scope(kind, collection, wanted), handler, this::signal);
    }

    private KindWatch.Scope scope(ServedKind kind, Collection collection, Predicate<Name> wanted) {
        return new KindWatch.Scope(
                ResourceKind.of(kind), collection.annotated(reading.annotations()), wanted, reading.shares());
    }

    private Optional<KindWatch> find(GroupKind type) {
        lock.lock();
        try {
            return Optional.ofNullable(kindWatches.get(type));
        } finally {
            lock.unlock();
        }
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // Definitions come in bursts: the server is asked once for all that came while it was asked before.
    private void define() {
        try {
            while (true) {
                lock.lock();
                try {
                    while (!outdated && !closed) {
                        changed.await();
                    }
                    if (closed) {
                        return;
                    }
                    outdated = false;
                } finally {
                    lock.unlock();
                }
                ask();
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "definitions are not looked at any more");
        }
    }

    private void ask() throws InterruptedException {
        try {
            adopt(Discovery.served(api));
        } catch (IOException e) {
            LOG.log(Level.INFO, "cannot ask which kinds are served: {0}", e.getMessage());
            Thread.sleep(RETRY);
            outdated();
        }
    }

    private void adopt(Map<GroupKind, ServedKind> served) throws InterruptedException {
        boolean late = false;
        var leaving = new ArrayList<Thread>();
        lock.lock();
        try {
            var bundles = new TreeSet<String>();
            var channels = new TreeSet<String>();
            crds.values().forEach(labels -> {
                Optional.of(labels.bundle()).filter(text -> !text.isEmpty()).ifPresent(bundles::add);
                Optional.of(labels.channel()).filter(text -> !text.isEmpty()).ifPresent(channels::add);
            });
            definitions = new Definitions(served, bundles, channels);
            kindWatches.entrySet().removeIf(entry -> {
                boolean stays = served.containsKey(entry.getKey());
                if (!stays) {
                    LOG.log(
                            Level.INFO,
                            "{0} is not served any more",
                            entry.getKey().kind());
                    leaving.add(entry.getValue().forget());
                }
                return !stays;
            });
            served.values().stream()
                    .filter(kind -> ResourceKind.isWatched(kind.type()))
                    .forEach(this::follow);
            late = crds.keySet().stream().anyMatch(name -> isOursToRead(name) && isMissing(name, served));
            asked = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        handler.defined(definitions);
        // A kind that comes back at once must not be taken back by what was said before.
        for (Thread one : leaving) {
            one.join();
        }
        // One whose versions are all strange to us will never be served in ours.
        if (late && impatience > 0) {
            impatience--;
            Thread.sleep(RETRY);
            outdated();
        }
    }

    // Where a kind is served in a newer version from now on, its objects are the same.
    private void follow(ServedKind kind) {
        KindWatch before = kindWatches.get(kind.type());
        if (before != null && before.kind().equals(kind)) {
            return;
        }
        LOG.log(Level.INFO, "{0} is watched in version {1}", kind.type().kind(), kind.version());
        kindWatches.put(
                kind.type(),
                before == null
                        ? kindWatch(kind, kind.all(), name -> true)
                        : before.moved(api, scope(kind, kind.all(), name -> true), this::signal));
    }

    // Created, and not served yet.
    private static boolean isMissing(String crd, Map<GroupKind, ServedKind> served) {
        return served.values().stream().noneMatch(kind -> kind.definition().equals(crd));
    }

    private static boolean isOursToRead(String crd) {
        return ResourceKind.definitions().contains(crd);
    }

    private void outdated() {
        lock.lock();
        try {
            outdated = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private final class CrdHandler implements ListWatch.Handler {
        @Override
        public void there(RawObject object) {
            String name = object.name().name();
            if (!Discovery.concerns(name)) {
                return;
            }
            Labels labels = labels(object);
            lock.lock();
            try {
                crds.put(name, labels);
                impatience = MOST_TRIES;
            } finally {
                lock.unlock();
            }
            outdated();
        }

        @Override
        public void gone(Name name) {
            lock.lock();
            try {
                if (crds.remove(name.name()) == null) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            outdated();
        }

        @Override
        public void listed() {
            outdated();
        }

        private static Labels labels(RawObject object) {
            try {
                JsonNode annotations =
                        JSON.readTree(object.json()).path("metadata").path("annotations");
                return new Labels(
                        annotations.path(BUNDLE).asText(),
                        annotations.path(CHANNEL).asText());
            } catch (IOException e) {
                throw new IllegalStateException("what was just written cannot be read", e);
            }
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            crdWatch.close();
            kindWatches.values().forEach(KindWatch::close);
            configMaps.values().forEach(KindWatch::close);
            keyPairs.close();
            readmission.close();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
