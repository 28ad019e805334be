package dev.shellac.operator.write;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.Cluster.Stored;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.children.Names;
import dev.shellac.operator.fleet.Fleet;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the children of each Gateway as they are wanted: applies what changed or was touched by others, deletes what is not wanted any more. The loop never
 * waits for it, and no Gateway for those of another namespace.
 */
public final class ChildrenDesk implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ChildrenDesk.class.getName());
    /** Of one pass over the children of a Gateway; each request has its own. What is left then is for the next. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    /**
     * What one Gateway shall have.
     *
     * @param uid of the Gateway; empty where it is gone
     * @param others objects of its own that somebody else writes, and that must stay
     */
    public record Wanted(String uid, List<HasMetadata> children, Set<ObjectKey> others) {
        static final Wanted NOTHING = nothing("");

        static Wanted nothing(String uid) {
            return new Wanted(uid, List.of(), Set.of());
        }

        boolean isNothing() {
            return children.isEmpty() && others.isEmpty();
        }

        public Wanted {
            children = List.copyOf(children);
            others = Set.copyOf(others);
        }
    }

    /** Who wants to know. */
    public interface Listener {
        void wrote(ObjectKey object);

        void failed(ObjectKey object, IOException why);

        /** The server does not take it, however often it is tried. */
        void refused(HasMetadata child, ApiFault why);

        /** The cluster has no such kind; it is applied when it has. */
        void unknown(HasMetadata child);
    }

    private record Applied(HasMetadata object, Stored stored) {}

    private static final class Household {
        private Wanted wanted = Wanted.NOTHING;
        private final Map<ObjectKey, Applied> applied = new HashMap<>();
        private final Set<ObjectKey> lost = new HashSet<>();
    }

    /** What it works with. */
    public record Edges(OwnershipGuard cluster, Owned owned, WorkQueue queue) {}

    private final OwnershipGuard cluster;
    private final Owned owned;
    private final Listener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final WorkQueue queue;
    private final Map<Fleet.Key, Household> households = new LinkedHashMap<>();

    private ChildrenDesk(Edges edges, Listener listener) {
        this.cluster = edges.cluster();
        this.owned = edges.owned();
        this.queue = edges.queue();
        this.listener = listener;
    }

    public static ChildrenDesk start(Edges edges, Listener listener) {
        return new ChildrenDesk(edges, listener);
    }

    public void want(Fleet.Key gateway, Wanted wanted) {
        lock.lock();
        try {
            Household household = households.computeIfAbsent(gateway, key -> new Household());
            household.wanted = wanted;
            queue.add(key(gateway), () -> tend(gateway, household));
        } finally {
            lock.unlock();
        }
    }

    /**
     * The Gateway is no more, or somebody else's: all that is left of it goes.
     *
     * @param uid of the Gateway; empty where it is gone, and the garbage collector deletes what it owned
     */
    public void unwant(Fleet.Key gateway, String uid) {
        want(gateway, Wanted.nothing(uid));
    }

    /** Somebody wrote an object of this Gateway, perhaps we. */
    public void touched(Fleet.Key gateway) {
        lock.lock();
        try {
            Household household = households.get(gateway);
            if (household != null) {
                look(gateway, household);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Kinds came or went: all Gateways are looked at again. */
    public void again() {
        lock.lock();
        try {
            households.forEach(this::look);
        } finally {
            lock.unlock();
        }
    }

    /** An object of this Gateway was deleted, perhaps by us. */
    public void gone(ObjectKey object, Fleet.Key gateway) {
        lock.lock();
        try {
            Household household = households.get(gateway);
            if (household != null) {
                household.lost.add(object);
                look(gateway, household);
            }
        } finally {
            lock.unlock();
        }
    }

    private static WorkQueue.Key key(Fleet.Key gateway) {
        return new WorkQueue.Key(gateway.namespace(), "children of " + gateway.label());
    }

    // Where a pass failed, the next one keeps its time.
    private void look(Fleet.Key gateway, Household household) {
        queue.addAfter(key(gateway), () -> tend(gateway, household), Duration.ZERO);
    }

    private boolean tend(Fleet.Key gateway, Household household) throws InterruptedException {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        Wanted wanted = begin(household);
        boolean good = true;
        var keys = new LinkedHashMap<ObjectKey, HasMetadata>();
        wanted.children().forEach(child -> keys.put(ObjectKey.of(child), child));
        for (Map.Entry<ObjectKey, HasMetadata> child : keys.entrySet()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            if (!good && isIndex(child.getKey())) {
                continue;
            }
            if (!owned.isServed(child.getKey())) {
                household.applied.remove(child.getKey());
                listener.unknown(child.getValue());
            } else if (isDue(child.getKey(), child.getValue(), household)) {
                good &= apply(child.getKey(), child.getValue(), household);
                if (!good && isIdentity(child.getKey())) {
                    break;
                }
            }
        }
        for (Map.Entry<ObjectKey, Owned.Standing> stray :
                strays(gateway, wanted).entrySet()) {
            good &= delete(stray.getKey(), stray.getValue().ownership().uid(), household);
        }
        if (good && wanted.isNothing()) {
            forget(gateway, household);
        }
        return good;
    }

    private Wanted begin(Household household) {
        lock.lock();
        try {
            household.applied.keySet().removeAll(household.lost);
            household.lost.clear();
            return household.wanted;
        } finally {
            lock.unlock();
        }
    }

    private void forget(Fleet.Key gateway, Household household) {
        lock.lock();
        try {
            if (household.wanted.isNothing()) {
                households.remove(gateway, household);
            }
        } finally {
            lock.unlock();
        }
    }

    // Its parts are written before it: one that could not be would have another hash than it says.
    private static boolean isIndex(ObjectKey key) {
        return key.plural().equals("secrets") && key.name().name().endsWith(Names.CERTIFICATE_INDEX);
    }

    // Pods must not run as somebody else.
    private static boolean isIdentity(ObjectKey key) {
        return key.plural().equals("serviceaccounts");
    }

    private boolean isDue(ObjectKey key, HasMetadata wanted, Household household) {
        Optional<Owned.Standing> standing = owned.find(key);
        Applied applied = household.applied.get(key);
        if (applied == null || !applied.object().equals(wanted)) {
            return true;
        }
        // What the server says of its own accord, such as a status, does not make a new generation.
        return standing.map(found -> applied.stored().generation() > 0
                        ? found.generation() > applied.stored().generation()
                        : applied.stored().isOlderThan(found.version()) && hasNoStatus(key))
                .orElse(false); // not in the watch yet
    }

    private static boolean hasNoStatus(ObjectKey key) {
        return !key.plural().equals("horizontalpodautoscalers");
    }

    private boolean apply(ObjectKey key, HasMetadata wanted, Household household) throws InterruptedException {
        try {
            if (owned.find(key).isPresent() && !household.applied.containsKey(key)) {
                cluster.check(wanted);
                Adoption.adopt(cluster, key);
            }
            Stored stored = cluster.apply(wanted);
            household.applied.put(key, new Applied(wanted, stored));
            listener.wrote(key);
            return true;
        } catch (IOException e) {
            household.applied.remove(key);
            listener.failed(key, e);
            if (e instanceof ApiFault fault && fault.isFinal()) {
                listener.refused(wanted, fault);
            }
            return e instanceof ApiFault fault && fault.isNotFound();
        }
    }

    // Labels can be copied: what is deleted belongs to the Gateway by its uid. What it left in other namespaces is
    // found
    // by our label and an annotation; no other Gateway can have that name.
    private Map<ObjectKey, Owned.Standing> strays(Fleet.Key gateway, Wanted wanted) {
        var strays = new TreeMap<>(owned.all());
        strays.values().removeIf(standing -> !standing.gateway().equals(gateway) || !isOwn(standing, wanted));
        wanted.children().forEach(child -> strays.remove(ObjectKey.of(child)));
        strays.keySet().removeAll(wanted.others());
        return strays;
    }

    private static boolean isOwn(Owned.Standing standing, Wanted wanted) {
        return standing.ownership().annotated().isPresent()
                || standing.ownership().owners().stream()
                        .anyMatch(owner -> owner.uid().equals(wanted.uid()));
    }

    private boolean delete(ObjectKey key, String uid, Household household) throws InterruptedException {
        try {
            cluster.delete(key, uid);
            household.applied.remove(key);
            LOG.log(Level.INFO, "{0} is not wanted any more and was deleted", key);
            return true;
        } catch (IOException e) {
            listener.failed(key, e);
            return false;
        }
    }

    /** What waits is given up. */
    @Override
    public void close() {
        lock.lock();
        try {
            households.keySet().forEach(gateway -> queue.remove(key(gateway)));
            households.clear();
        } finally {
            lock.unlock();
        }
    }
}
