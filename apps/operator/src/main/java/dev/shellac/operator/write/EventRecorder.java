package dev.shellac.operator.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.kube.write.KubeWriter;
import dev.shellac.model.ResourceId;
import dev.shellac.model.status.MessageText;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells people. The same words about the same object are said once for as long as a server keeps an Event: its name is made of them, so that a second
 * one is already there, also for an operator that starts anew. What cannot be told is logged and let go.
 */
public final class EventRecorder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EventRecorder.class.getName());
    private static final int MOST_WAITING = 500;
    private static final int MOST_WAITING_IN_NAMESPACE = 100;
    private static final int MOST_REMEMBERED = 2_000;
    private static final Duration KEPT = Duration.ofHours(1);
    private static final String REPORTER = "varnish-gateway-operator";

    /** What is told. */
    public record Entry(ResourceId object, String apiVersion, String uid, String type, String reason, String message) {
        private Entry shortened() {
            return new Entry(object, apiVersion, uid, type, reason, MessageText.cut(message));
        }
    }

    private final KubeWriter kube;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final WorkQueue queue = WorkQueue.start("events", WorkQueue.Limits.of(4, 2));
    private final Map<String, Integer> waiting = new HashMap<>();
    private final Map<Entry, Instant> recorded = new LinkedHashMap<>();

    private EventRecorder(KubeWriter kube, InstantSource clock) {
        this.kube = kube;
        this.clock = clock;
    }

    public static EventRecorder start(KubeWriter kube, InstantSource clock) {
        return new EventRecorder(kube, clock);
    }

    public void record(Entry whole) {
        // Words of a pod can be long, and others each time; what is told is remembered.
        Entry entry = whole.shortened();
        String namespace = entry.object().namespace();
        lock.lock();
        try {
            Instant now = clock.instant();
            if (Duration.between(recorded.getOrDefault(entry, Instant.EPOCH), now)
                            .compareTo(KEPT)
                    < 0) {
                return;
            }
            if (waiting.getOrDefault(namespace, 0) >= MOST_WAITING_IN_NAMESPACE
                    || waiting.values().stream().mapToInt(count -> count).sum() >= MOST_WAITING) {
                LOG.log(Level.INFO, "too many events: {0}: {1}", entry.object(), entry.message());
                return;
            }
            recorded.remove(entry);
            recorded.put(entry, now);
            if (recorded.size() > MOST_REMEMBERED) {
                recorded.remove(recorded.keySet().iterator().next());
            }
            waiting.merge(namespace, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
        LOG.log(Level.INFO, "{0}: {1}: {2}", entry.object(), entry.reason(), entry.message());
        queue.add(new WorkQueue.Key(namespace, entry.toString()), () -> {
            try {
                write(entry);
            } finally {
                written(namespace);
            }
            return true;
        });
    }

    private void written(String namespace) {
        lock.lock();
        try {
            waiting.merge(namespace, -1, Integer::sum);
            waiting.remove(namespace, 0);
        } finally {
            lock.unlock();
        }
    }

    private void write(Entry entry) throws InterruptedException {
        try {
            kube.create(event(entry));
        } catch (IOException e) {
            LOG.log(Level.INFO, "{0}: not told as an Event: {1}", entry.object(), e.getMessage());
        }
    }

    private Event event(Entry entry) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        String namespace = entry.object().namespace().isEmpty()
                ? "default"
                : entry.object().namespace();
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name(entry))
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(entry.apiVersion())
                .withKind(entry.object().type().kind())
                .withNamespace(
                        entry.object().namespace().isEmpty()
                                ? null
                                : entry.object().namespace())
                .withName(entry.object().name().name())
                .withUid(entry.uid())
                .endInvolvedObject()
                .withType(entry.type())
                .withReason(entry.reason())
                .withMessage(entry.message())
                .withFirstTimestamp(now)
                .withLastTimestamp(now)
                .withCount(1)
                .withReportingComponent(REPORTER)
                .withNewSource()
                .withComponent(REPORTER)
                .endSource()
                .build();
    }

    private static String name(Entry entry) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((entry.uid() + "\0" + entry.reason() + "\0" + entry.message()).getBytes(UTF_8));
            String name = entry.object().name().name();
            return name.substring(0, Math.min(name.length(), 200)) + "."
                    + HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
