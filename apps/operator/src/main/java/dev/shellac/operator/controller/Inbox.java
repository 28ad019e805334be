package dev.shellac.operator.controller;

import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.operator.pods.PodRegistry;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What arrived since the loop last looked, the newest of each object. The first of it wakes the loop at once. */
public final class Inbox implements ClusterWatch.Handler {
    /** One object of a kind. */
    public record Key(Class<? extends Resource> kind, Name name) {}

    /**
     * All that arrived.
     *
     * @param objects nothing where one is gone
     * @param unreadable those whose newest form cannot be read
     * @param pods Gateways whose pods or Services changed
     * @param drifted configuration that somebody else touched
     * @param oldest when the first of it arrived, in nanoseconds of the process
     */
    public record Batch(
            Map<Key, Optional<Resource>> objects,
            Map<Key, ClusterWatch.Unreadable> unreadable,
            Optional<Definitions> definitions,
            Set<PodRegistry.Key> pods,
            Set<ObjectKey> drifted,
            long oldest) {
        public Batch {
            objects = Collections.unmodifiableMap(objects);
            unreadable = Map.copyOf(unreadable);
            pods = Set.copyOf(pods);
            drifted = Set.copyOf(drifted);
        }

        public boolean isEmpty() {
            return objects.isEmpty()
                    && unreadable.isEmpty()
                    && definitions.isEmpty()
                    && pods.isEmpty()
                    && drifted.isEmpty();
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private Map<Key, Optional<Resource>> objects = new LinkedHashMap<>();
    private Map<Key, ClusterWatch.Unreadable> unreadable = new LinkedHashMap<>();
    private Optional<Definitions> definitions = Optional.empty();
    private Set<PodRegistry.Key> pods = new LinkedHashSet<>();
    private Set<ObjectKey> drifted = new LinkedHashSet<>();
    private long oldest;
    private boolean woken;

    @Override
    public void there(Resource resource) {
        readable(new Key(resource.getClass(), resource.meta().name()), Optional.of(resource));
    }

    @Override
    public void gone(Class<? extends Resource> kind, Name name) {
        readable(new Key(kind, name), Optional.empty());
    }

    private void readable(Key key, Optional<Resource> form) {
        post(() -> {
            unreadable.remove(key);
            objects.put(key, form);
        });
    }

    @Override
    public void unreadable(ClusterWatch.Unreadable object) {
        // The form before it counts, which may have arrived just now.
        post(() -> unreadable.put(new Key(object.kind(), object.id().name()), object));
    }

    @Override
    public void defined(Definitions next) {
        post(() -> definitions = Optional.of(next));
    }

    @Override
    public void read() {
        wake();
    }

    public void pods(PodRegistry.Key gateway) {
        post(() -> pods.add(gateway));
    }

    public void drifted(ObjectKey object) {
        post(() -> drifted.add(object));
    }

    /** Makes the loop look around though nothing arrived. */
    public void wake() {
        post(() -> {});
    }

    private void post(Runnable change) {
        lock.lock();
        try {
            if (!woken) {
                oldest = System.nanoTime();
            }
            woken = true;
            change.run();
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** All that arrived; waits for it, at most so long. */
    public Batch take(Duration patience) throws InterruptedException {
        lock.lock();
        try {
            long left = patience.toNanos();
            while (!woken && left > 0) {
                left = news.awaitNanos(left);
            }
            var batch = new Batch(objects, unreadable, definitions, pods, drifted, woken ? oldest : System.nanoTime());
            objects = new LinkedHashMap<>();
            unreadable = new LinkedHashMap<>();
            definitions = Optional.empty();
            pods = new LinkedHashSet<>();
            drifted = new LinkedHashSet<>();
            woken = false;
            return batch;
        } finally {
            lock.unlock();
        }
    }
}
