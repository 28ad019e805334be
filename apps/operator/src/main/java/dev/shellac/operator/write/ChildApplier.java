package dev.shellac.operator.write;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.KubeWriter.Stored;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.children.Names;
import dev.shellac.operator.pods.PodRegistry;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Keeps the children of each Gateway as they are wanted: applies what changed or was touched by others, deletes what is not wanted any more. The loop never
 * waits for it, and no Gateway for those of another namespace.
 */
public final class ChildApplier implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ChildApplier.class.getName());
    /** Of what is written in other namespaces. */
    private static final Set<String> ELSEWHERE = Set.of("roles", "rolebindings");
    /** Of one pass over the children of a Gateway in a namespace; each request has its own. What is left then is for the next. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    /**
     * What one Gateway shall have.
     *
     * @param uid of the Gateway; empty where it is gone
     * @param others objects of its own that somebody else writes, and that must stay
     */
    public record Wanted(String uid, List<HasMetadata> children, Set<ObjectKey> others) {
        static Wanted nothing(String uid) {
            return new Wanted(uid, List.of(), Set.of());
        }

        /** What of it is in one namespace. */
        Wanted in(String namespace) {
            Predicate<ObjectKey> here = key -> namespace(key).equals(namespace);
            return new Wanted(
                    uid,
                    children.stream()
                            .filter(child -> here.test(ObjectKey.of(child)))
                            .toList(),
                    others.stream().filter(here).collect(Collectors.toSet()));
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
    public interface Observer {
        void wrote(ObjectKey object);

        void failed(ObjectKey object, IOException why);

        /** The server does not take it, however often it is tried. */
        void refused(HasMetadata child, ApiFault why);

        /** Its name is taken, until a person does something. */
        void conflicted(HasMetadata child, NotOwned why);

        /** The cluster has no such kind; it is applied when it has. */
        void unknown(HasMetadata child);
    }

    private record Pass(
            PodRegistry.Key gateway, String namespace, OwnerState owner, OwnerState.Place place, Wanted wanted) {
        boolean isAtHome() {
            return namespace.equals(gateway.namespace());
        }
    }

    /** What it works with. */
    public record Edges(OwnershipGuard cluster, OwnedObjectCache ownedObjects, WorkQueue queue) {}

    private final OwnershipGuard cluster;
    private final OwnedObjectCache ownedObjects;
    private final Observer observer;
    private final ReentrantLock lock = new ReentrantLock();
    private final WorkQueue queue;
    private final Map<PodRegistry.Key, OwnerState> owners = new LinkedHashMap<>();

    private ChildApplier(Edges edges, Observer observer) {
        this.cluster = edges.cluster();
        this.ownedObjects = edges.ownedObjects();
        this.queue = edges.queue();
        this.observer = observer;
    }

    public static ChildApplier start(Edges edges, Observer observer) {
        return new ChildApplier(edges, observer);
    }

    public void want(PodRegistry.Key gateway, Wanted wanted) {
        lock.lock();
        try {
            OwnerState owner = owners.computeIfAbsent(gateway, key -> new OwnerState());
            owner.uid = wanted.uid();
            var namespaces = new TreeSet<>(owner.places.keySet());
            namespaces.add(gateway.namespace());
            wanted.children().forEach(child -> namespaces.add(namespace(ObjectKey.of(child))));
            ownedObjects.of(gateway).keySet().forEach(key -> namespaces.add(namespace(key)));
            for (String namespace : namespaces) {
                Wanted part = wanted.in(namespace);
                owner.places.computeIfAbsent(namespace, key -> new OwnerState.Place(part)).wanted = part;
                queue.add(key(gateway, namespace), () -> reconcile(gateway, namespace, owner));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The Gateway is no more, or somebody else's: all that is left of it goes.
     *
     * @param uid of the Gateway; empty where it is gone, and the garbage collector deletes what it owned
     */
    public void unwant(PodRegistry.Key gateway, String uid) {
        want(gateway, Wanted.nothing(uid));
    }

    /** Somebody wrote an object of this Gateway, perhaps we. */
    public void touched(ObjectKey object, PodRegistry.Key gateway) {
        lock.lock();
        try {
            OwnerState owner = owners.get(gateway);
            if (owner != null) {
                owner.places.computeIfAbsent(namespace(object), key -> new OwnerState.Place(Wanted.nothing(owner.uid)));
                look(gateway, namespace(object), owner);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Kinds came or went: all Gateways are looked at again. */
    public void resync() {
        lock.lock();
        try {
            owners.forEach((key, owner) -> owner.places.keySet().forEach(place -> look(key, place, owner)));
        } finally {
            lock.unlock();
        }
    }

    /** An object of this Gateway was deleted, perhaps by us. */
    public void gone(ObjectKey object, PodRegistry.Key gateway) {
        lock.lock();
        try {
            OwnerState owner = owners.get(gateway);
            OwnerState.Place place = owner == null ? null : owner.places.get(namespace(object));
            if (owner != null && place != null) {
                disown(object, owner);
                place.lost.add(object);
                look(gateway, namespace(object), owner);
            }
        } finally {
            lock.unlock();
        }
    }

    private static String namespace(ObjectKey object) {
        return object.name().namespace();
    }

    // It counts among the tasks of the namespace that is written to, which may be slow.
    private static WorkQueue.Key key(PodRegistry.Key gateway, String namespace) {
        return new WorkQueue.Key(namespace, "children of " + gateway.namespace() + "/" + gateway.label());
    }

    // Where a pass failed, the next one keeps its time.
    private void look(PodRegistry.Key gateway, String namespace, OwnerState owner) {
        queue.addAfter(key(gateway, namespace), () -> reconcile(gateway, namespace, owner), Duration.ZERO);
    }

    private boolean reconcile(PodRegistry.Key gateway, String namespace, OwnerState owner) throws InterruptedException {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        Optional<Pass> begun = begin(gateway, namespace, owner);
        if (begun.isEmpty()) {
            return true;
        }
        Pass pass = begun.get();
        boolean good = true;
        var keys = new LinkedHashMap<ObjectKey, HasMetadata>();
        if (pass.isAtHome() || owner.hasIdentity) { // those elsewhere are looked at again when it has one
            pass.wanted().children().forEach(child -> keys.put(ObjectKey.of(child), child));
        }
        for (Map.Entry<ObjectKey, HasMetadata> child : keys.entrySet()) {
            if (isOver(deadline)) {
                return false;
            }
            if (!good && isIndex(child.getKey())) {
                continue;
            }
            good &= reconcile(child.getKey(), child.getValue(), pass);
            if (!good && isIdentity(child.getKey())) {
                break;
            }
        }
        for (var stray : strays(pass).entrySet()) {
            if (isOver(deadline)) {
                return false;
            }
            good &= delete(stray.getKey(), stray.getValue().ownership().uid(), pass.place());
        }
        return good && (!pass.wanted().isNothing() || forget(pass));
    }

    private static boolean isOver(long deadline) {
        return System.nanoTime() - deadline > 0;
    }

    private boolean reconcile(ObjectKey key, HasMetadata child, Pass pass) throws InterruptedException {
        if (!ownedObjects.isServed(key)) {
            pass.place().applied.remove(key);
            observer.unknown(child);
            return true;
        }
        return !isDue(key, child, pass.place()) || apply(key, child, pass);
    }

    private Optional<Pass> begin(PodRegistry.Key gateway, String namespace, OwnerState owner) {
        lock.lock();
        try {
            Optional<OwnerState.Place> place = Optional.ofNullable(owner.places.get(namespace));
            place.ifPresent(found -> {
                found.applied.keySet().removeAll(found.lost);
                found.lost.clear();
            });
            return place.map(found -> new Pass(gateway, namespace, owner, found, found.wanted));
        } finally {
            lock.unlock();
        }
    }

    // What was just written elsewhere and is not in the watch yet would be left there: it is deleted when it is seen.
    private boolean forget(Pass pass) {
        if (!pass.isAtHome() && !pass.place().applied.isEmpty()) {
            return false;
        }
        lock.lock();
        try {
            if (pass.place().wanted.isNothing()) {
                pass.owner().places.remove(pass.namespace(), pass.place());
            }
            if (pass.owner().places.isEmpty()) {
                owners.remove(pass.gateway(), pass.owner());
            }
            return true;
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

    private static void disown(ObjectKey key, OwnerState owner) {
        if (isIdentity(key)) {
            owner.hasIdentity = false;
        }
    }

    private void identified(Pass pass) {
        lock.lock();
        try {
            boolean isNew = !pass.owner().hasIdentity;
            pass.owner().hasIdentity = true;
            if (isNew) {
                pass.owner().places.keySet().stream()
                        .filter(namespace -> !namespace.equals(pass.namespace()))
                        .forEach(namespace -> look(pass.gateway(), namespace, pass.owner()));
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isDue(ObjectKey key, HasMetadata wanted, OwnerState.Place place) {
        Optional<OwnedObjectCache.Observed> observed = ownedObjects.find(key);
        OwnerState.Applied applied = place.applied.get(key);
        if (applied == null || !applied.object().equals(wanted)) {
            return true;
        }
        // What the server says of its own accord, such as a status, does not make a new generation.
        return observed.map(found -> applied.stored().generation() > 0
                        ? found.generation() > applied.stored().generation()
                        : applied.stored().isOlderThan(found.version()) && hasNoStatus(key))
                .orElse(false); // not in the watch yet
    }

    private static boolean hasNoStatus(ObjectKey key) {
        return !key.plural().equals("horizontalpodautoscalers");
    }

    private boolean apply(ObjectKey key, HasMetadata wanted, Pass pass) throws InterruptedException {
        Map<ObjectKey, OwnerState.Applied> applied = pass.place().applied;
        try {
            if (ownedObjects.find(key).isPresent() && !applied.containsKey(key)) {
                cluster.check(wanted);
                Adoption.adopt(cluster, key);
            }
            Stored stored = cluster.apply(wanted);
            applied.put(key, new OwnerState.Applied(wanted, stored));
            if (isIdentity(key)) {
                identified(pass);
            }
            observer.wrote(key);
            return true;
        } catch (IOException e) {
            applied.remove(key);
            disown(key, pass.owner());
            observer.failed(key, e);
            if (e instanceof ApiFault fault && fault.isFinal()) {
                observer.refused(wanted, fault);
            } else if (e instanceof NotOwned taken && taken.isConflict()) {
                observer.conflicted(wanted, taken);
            }
            return e instanceof ApiFault fault && fault.isNotFound();
        }
    }

    private Map<ObjectKey, OwnedObjectCache.Observed> strays(Pass pass) {
        var strays = new TreeMap<>(ownedObjects.of(pass.gateway()));
        var wanted = pass.wanted().children().stream().map(ObjectKey::of).collect(Collectors.toSet());
        // Whatever their labels say.
        wanted.forEach(key -> ownedObjects.find(key).ifPresent(found -> strays.put(key, found)));
        strays.entrySet()
                .removeIf(entry -> !namespace(entry.getKey()).equals(pass.namespace())
                        || entry.getValue().ownership().deleted()
                        || !isOwn(entry.getKey(), entry.getValue().ownership(), pass));
        // What an earlier Gateway of this name left elsewhere goes before this one gets its own.
        strays.entrySet()
                .removeIf(entry -> wanted.contains(entry.getKey())
                        && !entry.getValue()
                                .ownership()
                                .isOfAnother(pass.wanted().uid()));
        strays.keySet().removeAll(pass.wanted().others());
        return strays;
    }

    // Labels and annotations can be copied: what is deleted belongs to the Gateway by its uid. What it left in other
    // namespaces is a Role and its binding that have the Gateway in an annotation, and their one name.
    private boolean isOwn(ObjectKey key, Ownership ownership, Pass pass) {
        if (ownership.owners().stream()
                .anyMatch(owner -> owner.uid().equals(pass.wanted().uid()))) {
            return true;
        }
        return !pass.isAtHome()
                && ELSEWHERE.contains(key.plural())
                && cluster.isLeftBy(pass.gateway(), key.name(), ownership);
    }

    private boolean delete(ObjectKey key, String uid, OwnerState.Place place) throws InterruptedException {
        try {
            cluster.delete(key, uid);
            place.applied.remove(key);
            LOG.log(Level.INFO, "{0} is not wanted any more and was deleted", key);
            return true;
        } catch (IOException e) {
            observer.failed(key, e);
            return false;
        }
    }

    /** What waits is given up. */
    @Override
    public void close() {
        lock.lock();
        try {
            owners.forEach((key, owner) -> owner.places.keySet().forEach(place -> queue.remove(key(key, place))));
            owners.clear();
        } finally {
            lock.unlock();
        }
    }
}
