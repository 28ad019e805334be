package dev.shellac.operator.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.kube.api.Requests;
import dev.shellac.kube.watch.Collection;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.watch.ListWatch;
import dev.shellac.kube.watch.RawObject;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.pods.PodRegistry;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects that we made, by their labels: who else touches them is noticed, and what nobody wants any more is found. Anybody can set these labels. One that names
 * no Gateway is none of ours and is not kept, and those of a namespace have a bound: beyond it, nobody notices who else touches them.
 */
public final class OwnedObjectCache implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OwnedObjectCache.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    /** Some 6,000 children, those of 200 Gateways. */
    private static final int MOST_BYTES_OF_A_NAMESPACE = 4 << 20;

    /** A kind of children. */
    private record Kind(String apiVersion, String kind, String plural) {}

    /** Those that every cluster has. */
    private static final List<Kind> KINDS = List.of(
            new Kind("v1", "ConfigMap", "configmaps"),
            new Kind("v1", "Secret", "secrets"),
            new Kind("v1", "Service", "services"),
            new Kind("v1", "ServiceAccount", "serviceaccounts"),
            new Kind("apps/v1", "Deployment", "deployments"),
            new Kind("rbac.authorization.k8s.io/v1", "Role", "roles"),
            new Kind("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
            new Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
            new Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
            new Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"));

    /** Those that come and go with their definitions. */
    private static final List<GroupKind> OPTIONAL = List.of(GroupKind.SERVICE_MONITOR);

    /**
     * How an object with our labels stands.
     *
     * @param gateway whose it is, as its labels have it, which anybody can set
     * @param ownership whose it is, as its owners have it
     * @param generation 0 where its kind has none
     */
    public record Observed(PodRegistry.Key gateway, Ownership ownership, String version, long generation) {}

    private record Seen(boolean isKept, Optional<Observed> before) {}

    /** Who wants to know; called on many threads. */
    public interface Handler {
        /** Written, by us or by somebody else. */
        void touched(ObjectKey object, PodRegistry.Key gateway);

        void gone(ObjectKey object, PodRegistry.Key gateway);
    }

    private final Requests api;
    private final Handler handler;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ObjectKey, Observed> objects = new HashMap<>();
    private final Map<String, Integer> sizes = new HashMap<>();
    private final Set<String> full = new HashSet<>();
    /** The same, so that looking at one Gateway costs what it has, however many others there are. */
    private final Map<PodRegistry.Key, Map<ObjectKey, Observed>> byGateway = new HashMap<>();

    private final CountDownLatch unlisted = new CountDownLatch(KINDS.size());
    private final Map<Kind, ListWatch> watches = new HashMap<>();

    private OwnedObjectCache(Requests api, Handler handler) {
        this.api = api;
        this.handler = handler;
    }

    public static OwnedObjectCache start(Requests api, Handler handler) {
        var ownedObjects = new OwnedObjectCache(api, handler);
        KINDS.forEach(ownedObjects::watch);
        return ownedObjects;
    }

    private void watch(Kind kind) {
        var type = new RawObject.Type(kind.apiVersion(), kind.kind());
        Collection ours = Collection.of(Collection.path(kind.apiVersion(), kind.plural()), type)
                .labelled(Labels.OURS)
                .metadata()
                .annotated(Set.of(Labels.GATEWAY, Labels.GATEWAY_UID));
        lock.lock();
        try {
            watches.computeIfAbsent(kind, key -> ListWatch.start(api, ours, new Reading(key)));
        } finally {
            lock.unlock();
        }
    }

    /** Watches the kinds that not every cluster has while this one has them. */
    public void follow(Definitions definitions) {
        for (GroupKind type : OPTIONAL) {
            Optional<Kind> served =
                    definitions.find(type).map(found -> new Kind(found.apiVersion(), type.kind(), found.plural()));
            served.ifPresent(this::watch);
            unwatch(type, served);
        }
    }

    private void unwatch(GroupKind type, Optional<Kind> served) {
        lock.lock();
        try {
            watches.entrySet().removeIf(entry -> {
                boolean gone = entry.getKey().kind().equals(type.kind())
                        && !Optional.of(entry.getKey()).equals(served);
                if (gone) {
                    Thread.ofVirtual().start(entry.getValue()::closeAndForget);
                }
                return gone;
            });
        } finally {
            lock.unlock();
        }
    }

    /** Whether the cluster has the kind of this object. */
    boolean isServed(ObjectKey key) {
        lock.lock();
        try {
            return watches.keySet().stream().anyMatch(kind -> kind.plural().equals(key.plural()));
        } finally {
            lock.unlock();
        }
    }

    public boolean awaitSynced(Duration patience) throws InterruptedException {
        return unlisted.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    public Optional<Observed> find(ObjectKey key) {
        lock.lock();
        try {
            return Optional.ofNullable(objects.get(key));
        } finally {
            lock.unlock();
        }
    }

    /** All objects, with whose they are. */
    public Map<ObjectKey, Observed> all() {
        lock.lock();
        try {
            return Map.copyOf(objects);
        } finally {
            lock.unlock();
        }
    }

    /** Those of one Gateway, as their labels have it. */
    Map<ObjectKey, Observed> of(PodRegistry.Key gateway) {
        lock.lock();
        try {
            return Map.copyOf(byGateway.getOrDefault(gateway, Map.of()));
        } finally {
            lock.unlock();
        }
    }

    private void put(ObjectKey key, Observed observed) {
        sizes.merge(key.name().namespace(), observed.ownership().size(), Integer::sum);
        objects.put(key, observed);
        byGateway
                .computeIfAbsent(observed.gateway(), gateway -> new HashMap<>())
                .put(key, observed);
    }

    private boolean hasRoom(ObjectKey key, Observed observed) {
        String namespace = key.name().namespace();
        boolean fits = sizes.getOrDefault(namespace, 0) + observed.ownership().size() <= MOST_BYTES_OF_A_NAMESPACE;
        if (!fits && full.add(namespace)) {
            LOG.log(Level.WARNING, "namespace {0} has more objects with our labels than are kept", namespace);
        }
        return fits;
    }

    /** Keeps it if it can be ours; whether it is, and how it stood before. */
    private Seen see(ObjectKey key, Observed observed) {
        lock.lock();
        try {
            Optional<Observed> before = remove(key);
            boolean isKept = observed.ownership().namesGateway() && hasRoom(key, observed);
            if (isKept) {
                put(key, observed);
            }
            return new Seen(isKept, before);
        } finally {
            lock.unlock();
        }
    }

    private Optional<Observed> remove(ObjectKey key) {
        lock.lock();
        try {
            Optional<Observed> before = Optional.ofNullable(objects.remove(key));
            before.map(observed -> observed.ownership().size()).ifPresent(size -> {
                sizes.merge(key.name().namespace(), -size, Integer::sum);
                sizes.remove(key.name().namespace(), 0);
            });
            before.map(Observed::gateway).ifPresent(gateway -> {
                Map<ObjectKey, Observed> own = byGateway.getOrDefault(gateway, new HashMap<>());
                own.remove(key);
                byGateway.remove(gateway, Map.of()); // where none is left
            });
            return before;
        } finally {
            lock.unlock();
        }
    }

    private final class Reading implements ListWatch.Handler {
        private final Kind kind;
        private boolean first = true;

        Reading(Kind kind) {
            this.kind = kind;
        }

        @Override
        public void there(RawObject object) {
            ObjectKey key = key(object.name());
            Observed observed = observed(object);
            Seen seen = see(key, observed);
            if (seen.isKept()) {
                handler.touched(key, observed.gateway());
            } else {
                seen.before().ifPresent(before -> handler.gone(key, before.gateway()));
            }
        }

        @Override
        public void gone(Name name) {
            ObjectKey key = key(name);
            remove(key).ifPresent(observed -> handler.gone(key, observed.gateway()));
        }

        @Override
        public void listed() {
            if (first) {
                first = false;
                unlisted.countDown();
            }
        }

        private ObjectKey key(Name name) {
            return new ObjectKey(kind.apiVersion(), kind.plural(), name);
        }
    }

    private static Observed observed(RawObject object) {
        try {
            JsonNode meta = JSON.readTree(object.json()).path("metadata");
            JsonNode labels = meta.path("labels");
            String namespace =
                    labels.path(Labels.GATEWAY_NAMESPACE).asText(object.name().namespace());
            return new Observed(
                    new PodRegistry.Key(
                            namespace, labels.path(Labels.GATEWAY_NAME).asText()),
                    Ownership.of(meta),
                    object.version(),
                    meta.path("generation").asLong());
        } catch (IOException e) {
            throw new IllegalStateException("what was just written cannot be read", e);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            watches.values().forEach(ListWatch::close);
        } finally {
            lock.unlock();
        }
    }
}
