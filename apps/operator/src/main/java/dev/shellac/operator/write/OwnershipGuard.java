package dev.shellac.operator.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.pods.Obstacles;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.Ownership.Relation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Writes the objects of Gateways, and looks before it does: an object of that name that is not the Gateway's own is left alone, and the write fails with
 * {@link NotOwned}. What stands in a Gateway's way is known here until the name is free. The watch of our objects saves the look at those that are known;
 * it takes one more request to create an object.
 */
public final class OwnershipGuard implements KubeWriter {
    private static final System.Logger LOG = System.getLogger(OwnershipGuard.class.getName());

    private record Obstacle(Relation relation, String words) {
        /** The garbage collector sees to what is leaving; a conflict needs a person. */
        Level level() {
            return relation == Relation.FOREIGN ? Level.WARNING : Level.INFO;
        }
    }

    private final KubeWriter kube;
    private final Function<ObjectKey, Optional<OwnedObjectCache.Observed>> watched;
    private final BiPredicate<PodRegistry.Key, String> others;
    private final Consumer<PodRegistry.Key> changed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<PodRegistry.Key, Map<ObjectKey, Obstacle>> obstacles = new HashMap<>();

    /**
     * One that writes to a cluster.
     *
     * @param watched our objects, as they were last seen
     * @param others whether a uid is that of another Gateway that is there than this one
     * @param changed called when something comes into the way of a Gateway, or goes out of it
     */
    public OwnershipGuard(
            KubeWriter kube,
            Function<ObjectKey, Optional<OwnedObjectCache.Observed>> watched,
            BiPredicate<PodRegistry.Key, String> others,
            Consumer<PodRegistry.Key> changed) {
        this.kube = kube;
        this.watched = watched;
        this.others = others;
        this.changed = changed;
    }

    /** What stands in the way of a Gateway in its namespace. Those of another must not decide what is said of it: an Event has them. */
    public Obstacles of(PodRegistry.Key gateway) {
        lock.lock();
        try {
            Map<ObjectKey, Obstacle> found = new TreeMap<>(obstacles.getOrDefault(gateway, Map.of()));
            found.keySet().removeIf(key -> !key.name().namespace().equals(gateway.namespace()));
            return new Obstacles(words(found, Relation.FOREIGN), words(found, Relation.LEAVING));
        } finally {
            lock.unlock();
        }
    }

    private static List<String> words(Map<ObjectKey, Obstacle> found, Relation relation) {
        return found.values().stream()
                .filter(obstacle -> obstacle.relation() == relation)
                .map(Obstacle::words)
                .toList();
    }

    /** These objects are all that a Gateway is to have: what has the name of another is not in its way any more. */
    public void retain(PodRegistry.Key gateway, Set<ObjectKey> wanted) {
        boolean fewer;
        lock.lock();
        try {
            Map<ObjectKey, Obstacle> found = obstacles.getOrDefault(gateway, new TreeMap<>());
            fewer = found.keySet().retainAll(wanted);
            if (found.isEmpty()) {
                obstacles.remove(gateway);
            }
        } finally {
            lock.unlock();
        }
        if (fewer) {
            changed.accept(gateway);
        }
    }

    /** Fails where there is an object of that name that is not the Gateway's own. */
    void check(HasMetadata wanted) throws IOException, InterruptedException {
        ObjectKey key = ObjectKey.of(wanted);
        PodRegistry.Key gateway = gateway(wanted);
        Relation relation = relation(key, wanted, uid -> others.test(gateway, uid));
        if (relation == Relation.OURS) {
            note(key, gateway, Optional.empty());
            return;
        }
        String object = wanted.getKind() + " " + key.name().name()
                + (isAtHome(wanted) ? "" : " in namespace " + key.name().namespace());
        String words = relation == Relation.LEAVING
                ? object + " belongs to a deleted Gateway of the same name and is still being deleted"
                : object + " already exists and does not belong to this Gateway, so it is left alone:"
                        + " delete or rename it, or give the Gateway another name";
        note(key, gateway, Optional.of(new Obstacle(relation, words)));
        throw new NotOwned(words, relation);
    }

    /** Whether an object in another namespace was left there by this Gateway, or by an earlier one of its name. */
    boolean isLeftBy(PodRegistry.Key gateway, Name object, Ownership ownership) {
        return ownership.isLeftBy(gateway, object, uid -> others.test(gateway, uid));
    }

    private static PodRegistry.Key gateway(HasMetadata wanted) {
        Map<String, String> labels = wanted.getMetadata().getLabels();
        return new PodRegistry.Key(
                labels.getOrDefault(Labels.GATEWAY_NAMESPACE, ""), labels.getOrDefault(Labels.GATEWAY_NAME, ""));
    }

    private static boolean isAtHome(HasMetadata wanted) {
        return !wanted.getMetadata().getOwnerReferences().isEmpty();
    }

    private Relation relation(ObjectKey key, HasMetadata wanted, Predicate<String> others)
            throws IOException, InterruptedException {
        Optional<Relation> known =
                watched.apply(key).map(observed -> observed.ownership().to(wanted.getMetadata(), others));
        if (known.filter(Relation.OURS::equals).isPresent()) {
            return Relation.OURS;
        }
        return kube.metadata(key)
                .map(meta -> Ownership.of(meta).to(wanted.getMetadata(), others))
                .orElse(Relation.OURS);
    }

    private void note(ObjectKey key, PodRegistry.Key gateway, Optional<Obstacle> obstacle) {
        Optional<Obstacle> before;
        lock.lock();
        try {
            Map<ObjectKey, Obstacle> found = obstacles.computeIfAbsent(gateway, one -> new TreeMap<>());
            before = Optional.ofNullable(obstacle.isPresent() ? found.put(key, obstacle.get()) : found.remove(key));
            if (found.isEmpty()) {
                obstacles.remove(gateway);
            }
        } finally {
            lock.unlock();
        }
        if (!before.equals(obstacle)) {
            LOG.log(
                    obstacle.map(Obstacle::level).orElse(Level.INFO),
                    "gateway={0}/{1}: {2}",
                    gateway.namespace(),
                    gateway.label(),
                    obstacle.map(Obstacle::words).orElseGet(() -> key + " can be written"));
            changed.accept(gateway);
        }
    }

    @Override
    public Stored apply(HasMetadata wanted) throws IOException, InterruptedException {
        check(wanted);
        return kube.apply(wanted);
    }

    @Override
    public Stored replace(HasMetadata wanted) throws IOException, InterruptedException {
        check(wanted);
        return kube.replace(wanted);
    }

    @Override
    public boolean create(HasMetadata wanted) throws IOException, InterruptedException {
        return kube.create(wanted);
    }

    @Override
    public void delete(ObjectKey key, String uid) throws IOException, InterruptedException {
        kube.delete(key, uid);
    }

    @Override
    public Optional<ObjectNode> metadata(ObjectKey key) throws IOException, InterruptedException {
        return kube.metadata(key);
    }

    @Override
    public List<ObjectKey> labelled(String apiVersion, String plural, String selector)
            throws IOException, InterruptedException {
        return kube.labelled(apiVersion, plural, selector);
    }

    @Override
    public Optional<ObjectNode> read(String path) throws IOException, InterruptedException {
        return kube.read(path);
    }

    @Override
    public ObjectNode merge(String path, ObjectNode patch) throws IOException, InterruptedException {
        return kube.merge(path, patch);
    }
}
