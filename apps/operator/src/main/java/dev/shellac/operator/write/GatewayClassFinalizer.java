package dev.shellac.operator.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps a GatewayClass from being deleted while Gateways use it, by a finalizer. One thread, the newest wish only. */
public final class GatewayClassFinalizer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(GatewayClassFinalizer.class.getName());
    static final String FINALIZER = "gateway-exists-finalizer.gateway.networking.k8s.io";
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int MOST_TRIES = 5;
    private static final JsonMapper JSON = new JsonMapper();

    /** Whether Gateways use a class. */
    public enum Use {
        USED,
        UNUSED
    }

    private final KubeWriter kube;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Use> wanted = new HashMap<>();
    private final Map<String, Use> done = new HashMap<>();
    private boolean closed;

    private GatewayClassFinalizer(KubeWriter kube) {
        this.kube = kube;
    }

    public static GatewayClassFinalizer start(KubeWriter kube) {
        var finalizer = new GatewayClassFinalizer(kube);
        Supervisor.PROCESS.thread("classes", finalizer::run).start();
        return finalizer;
    }

    /** The classes that are ours, by the path of the object; those that are not named are not looked at any more. */
    public void guard(Map<String, Use> classes) {
        lock.lock();
        try {
            wanted.clear();
            wanted.putAll(classes);
            done.keySet().retainAll(classes.keySet());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                boolean good = true;
                // All of them, before the first is tried again: one that cannot be written delays no other.
                for (Map.Entry<String, Use> next : due()) {
                    good &= reconcile(next);
                }
                if (!good) {
                    Thread.sleep(RETRY);
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "classes are not guarded any more");
        }
    }

    private List<Map.Entry<String, Use>> due() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                List<Map.Entry<String, Use>> due = wanted.entrySet().stream()
                        .filter(entry -> entry.getValue() != done.get(entry.getKey()))
                        .map(entry -> Map.entry(entry.getKey(), entry.getValue()))
                        .toList();
                if (!due.isEmpty()) {
                    return due;
                }
                changed.await();
            }
            throw new InterruptedException("closed");
        } finally {
            lock.unlock();
        }
    }

    private boolean reconcile(Map.Entry<String, Use> next) throws InterruptedException {
        if (!reconcile(next.getKey(), next.getValue(), MOST_TRIES)) {
            return false;
        }
        lock.lock();
        try {
            done.put(next.getKey(), next.getValue());
        } finally {
            lock.unlock();
        }
        return true;
    }

    private boolean reconcile(String path, Use use, int tries) throws InterruptedException {
        if (tries == 0) {
            return false;
        }
        try {
            ObjectNode object = kube.read(path).orElse(null);
            if (object == null) {
                return true;
            }
            JsonNode meta = object.path("metadata");
            ArrayNode finalizers = JSON.createArrayNode();
            boolean there = false;
            for (JsonNode finalizer : meta.path("finalizers")) {
                boolean ours = finalizer.asText().equals(FINALIZER);
                there |= ours;
                if (!ours) {
                    finalizers.add(finalizer);
                }
            }
            if (there == (use == Use.USED) || (use == Use.USED && meta.has("deletionTimestamp"))) {
                return true; // nobody may add one to an object that is going
            }
            if (use == Use.USED) {
                finalizers.add(FINALIZER);
            }
            ObjectNode patch = JSON.createObjectNode();
            ObjectNode changes = patch.putObject("metadata");
            changes.put("resourceVersion", meta.path("resourceVersion").asText());
            changes.set("finalizers", finalizers);
            kube.merge(path, patch);
            return true;
        } catch (ApiFault e) {
            if (e.isConflict()) {
                return reconcile(path, use, tries - 1); // our own status writer, most often
            }
            LOG.log(Level.WARNING, "{0}: {1}", path, e.getMessage());
            return e.isNotFound();
        } catch (IOException e) {
            LOG.log(Level.INFO, "{0}: {1}", path, e.getMessage());
            return false;
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
