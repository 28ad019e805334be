package dev.shellac.operator.controller;

import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.controller.GatewayRenderer.Form;
import dev.shellac.operator.pods.CertificateVersions;
import dev.shellac.operator.pods.ChangePusher;
import dev.shellac.operator.pods.ConfigRevision;
import dev.shellac.operator.pods.Generations;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.WorkQueue;
import dev.shellac.varnishconfig.changes.ChangeSet;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The configuration of one Gateway: what was written, what is being written, and what still is to be. For the loop's thread. */
public final class GatewayConfigWriter {
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofSeconds(2);
    // How long what the pods have may be without being written: a burst is a write a second.
    private static final Duration UNWRITTEN = Duration.ofSeconds(1);
    private static final int MOST_BEGUN = 256;
    // Whoever writes the same objects again and again, such as a second operator, is not answered at once each time.
    private static final Duration QUARREL = Duration.ofSeconds(30);
    private static final int MOST_ANSWERED_AT_ONCE = 5;

    /** What writing needs. */
    record Context(KubeWriter kube, ChangePusher pusher, Observer observer, Writer writer) {}

    /** Has configuration written beside the loop, that of one Gateway in order. */
    public interface Writer {
        void write(PodRegistry.Key gateway, WorkQueue.Task task);
    }

    /** Who wants to know. */
    public interface Observer {
        void wrote(ObjectKey object);

        void failed(ObjectKey object, IOException why);

        /** Changes are on their way to the pods of a Gateway. */
        void pushed(PodRegistry.Key gateway);

        /** A pod did not take them, and is waiting for what is written. Called on any thread. */
        void pushFailed(PodRegistry.Key gateway);

        /** Something was written, or could not be. Called on any thread. */
        void ended(PodRegistry.Key gateway);
    }

    private final Generations generations = new Generations();
    private final CertificateVersions certificates = new CertificateVersions();
    private final Map<String, Instant> asked = new HashMap<>();
    private final Map<ObjectKey, ConfigWrite.Written> written = new HashMap<>();
    private final Map<ConfigRevision, Long> begun = new LinkedHashMap<>();
    private Optional<GatewayRenderer.Rendered> wanted = Optional.empty();
    private Optional<Instant> retryAt = Optional.empty();
    private Optional<Instant> compactAt = Optional.empty();
    private Optional<Instant> flushAt = Optional.empty();
    private Optional<GatewayRenderer.Changes> pushed = Optional.empty();
    // Set by who brings changes to pods.
    private final AtomicBoolean pushFailed = new AtomicBoolean();
    // Set by who writes.
    private final AtomicReference<ConfigWrite.@Nullable Result> result = new AtomicReference<>();
    private Optional<ConfigWrite> writing = Optional.empty();
    private final Set<ObjectKey> touchedMeanwhile = new HashSet<>();
    private boolean pushedMeanwhile;
    private boolean signed;
    private boolean signs;
    private boolean childrenDeferred;
    private boolean flushed;
    private int failures;
    private Instant touchedAt = Instant.EPOCH;
    private int touches;

    Generations generations() {
        return generations;
    }

    CertificateVersions certificates() {
        return certificates;
    }

    /** When each address was first asked for; those that are not any more are forgotten. */
    Map<String, Instant> asked(Set<String> addresses, Instant now) {
        asked.keySet().retainAll(addresses);
        addresses.forEach(address -> asked.putIfAbsent(address, now));
        return asked;
    }

    void want(GatewayRenderer.Rendered configuration) {
        wanted = Optional.of(configuration);
        compactAt = Optional.empty();
        generations.vclRefused(configuration.vclFault());
    }

    /** The objects that the configuration is in. */
    Set<ObjectKey> keys() {
        var keys = new LinkedHashSet<ObjectKey>();
        wanted.ifPresent(configuration -> {
            configuration.objects().forEach(object -> keys.add(ObjectKey.of(object)));
            keys.add(ObjectKey.of(configuration.changes().object()));
        });
        return keys;
    }

    Optional<Instant> retryAt() {
        return retryAt;
    }

    /** When changes that pods have are to be written. */
    Optional<Instant> flushAt() {
        return flushAt;
    }

    /** When changes are to become part of the whole, should there be no others until then. */
    Optional<Instant> compactAt() {
        return compactAt;
    }

    /** Whether something is to be written though nothing changed. */
    boolean isDue(Instant now) {
        return pushFailed.get()
                || Stream.of(retryAt, flushAt, compactAt)
                        .flatMap(Optional::stream)
                        .anyMatch(time -> !time.isAfter(now));
    }

    /** Whether pods have something else than what is written, or something could not be written. */
    boolean isUnwritten() {
        return pushFailed.get() || flushAt.isPresent() || retryAt.isPresent() || writing.isPresent();
    }

    Form form(Instant now) {
        return compactAt.filter(time -> !time.isAfter(now)).isPresent() ? Form.WHOLE : Form.CHANGES;
    }

    /** Whether it was somebody else who made an object what it is now, or took it away: then it is written again. */
    boolean isTouched(ObjectKey key, Optional<String> version, Instant now) {
        if (writing.isPresent()) {
            touchedMeanwhile.add(key); // perhaps by us
            return false;
        }
        ConfigWrite.Written last = written.get(key);
        boolean touched = last != null
                && version.map(seen -> last.stored().isOlderThan(seen)).orElse(true);
        if (touched) {
            written.remove(key);
            touches = touchedAt.plus(QUARREL).isAfter(now) ? touches + 1 : 1;
            touchedAt = now;
            if (touches > MOST_ANSWERED_AT_ONCE) {
                retryAt = Optional.of(now.plus(pause(touches - MOST_ANSWERED_AT_ONCE)));
            }
        }
        return touched;
    }

    private static Duration pause(int times) {
        Duration pause = RETRY.multipliedBy(1L << Math.min(times - 1, 6));
        return pause.compareTo(RETRY_LONGEST) < 0 ? pause : RETRY_LONGEST;
    }

    /** What no object can be made of. */
    void failed(String why) {
        generations.failed(why);
        rest();
    }

    /** Nothing is due any more, until something changes. */
    void rest() {
        retryAt = Optional.empty();
        flushAt = Optional.empty();
        compactAt = Optional.empty();
        pushFailed.set(false);
    }

    /** A pod serves this: how long it took, for each configuration that is served with it for the first time. */
    List<Duration> served(ConfigRevision live) {
        if (!begun.containsKey(live)) {
            return List.of();
        }
        var took = new ArrayList<Duration>();
        for (ConfigRevision one : List.copyOf(begun.keySet())) {
            took.add(Duration.ofNanos(System.nanoTime() - begun.getOrDefault(one, 0L)));
            begun.remove(one);
            if (one.equals(live)) {
                break;
            }
        }
        return took;
    }

    /**
     * When something is written.
     *
     * @param generation of the Gateway
     * @param news when the first of what led to it arrived, in nanoseconds of the process
     */
    record WriteRequest(PodRegistry.Key gateway, long generation, Instant now, long news) {}

    /** Has pods told of changes, and has written what is not as it shall be. */
    void write(Context context, WriteRequest request) {
        Instant now = request.now();
        if (wanted.isEmpty() || retryAt.filter(now::isBefore).isPresent()) {
            return;
        }
        GatewayRenderer.Rendered rendered = wanted.get();
        if (push(context, request) && flushAt.filter(time -> !time.isAfter(now)).isEmpty()) {
            flushAt = flushAt.or(() -> Optional.of(now.plus(UNWRITTEN)));
            compactAt = Optional.of(now.plus(QUIET));
            return;
        }
        if (writing.isPresent()) {
            return; // it is looked at again when that has ended
        }
        ConfigMap changes = rendered.changes().object();
        var next = new ConfigWrite(
                rendered,
                request,
                context.pusher().nextRevision(),
                rendered.objects().stream().filter(object -> !isWritten(object)).toList(),
                Optional.of(changes).filter(object -> !isWritten(object)),
                Optional.of(changes).filter(object -> !signed));
        writing = Optional.of(next);
        pushedMeanwhile = false;
        retryAt = Optional.empty();
        flushAt = Optional.empty();
        pushFailed.set(false);
        if (next.isEmpty()) {
            result.set(new ConfigWrite.Result(next, Map.of(), Optional.empty()));
            settle(now);
            return;
        }
        context.writer().write(request.gateway(), () -> {
            result.set(next.run(context.kube(), context.observer()));
            context.observer().ended(request.gateway());
            return true;
        });
        settle(now); // it may have ended at once
    }

    /** Where nothing can be written pods drop all the same what a process before this one told them and never wrote. */
    void sign(Context context, PodRegistry.Key gateway, ConfigMap changes) {
        if (signed || signs || writing.isPresent()) {
            return;
        }
        signs = true;
        ChangeSet.Revision revision = context.pusher().nextRevision();
        context.writer().write(gateway, () -> {
            try {
                SignedChanges.sign(context.kube(), changes, revision);
                return true;
            } catch (IOException e) {
                context.observer().failed(ObjectKey.of(changes), e);
                return false;
            }
        });
    }

    /** Whether something is being written. */
    boolean isWriting() {
        return writing.isPresent();
    }

    /** Whether it is open whether this process can write the configuration at all. */
    boolean isFirstWrite() {
        return writing.isPresent() && !generations.hasWritten();
    }

    /** The children are to be tended when what is being written is: configuration comes before all else. */
    void deferChildren() {
        childrenDeferred = true;
    }

    /** Whether their time has come. */
    boolean takeDeferredChildren() {
        boolean due = childrenDeferred && writing.isEmpty();
        childrenDeferred &= !due;
        return due;
    }

    /** Takes in what became of a writing that has ended. The objects that somebody touched meanwhile are to be looked at again. */
    Set<ObjectKey> settle(Instant now) {
        ConfigWrite.Result ended = result.getAndSet(null);
        if (ended == null
                || !writing.map(ConfigWrite::revision)
                        .equals(Optional.of(ended.write().revision()))) {
            return Set.of(); // of a loop that began anew since
        }
        writing = Optional.empty();
        written.putAll(ended.written());
        signed |= ended.isSigned();
        if (pushedMeanwhile) {
            written.remove(ObjectKey.of(ended.write().rendered().changes().object()));
        }
        if (ended.failure().isPresent()) {
            failures++;
            retryAt = Optional.of(now.plus(pause(failures)));
        } else {
            failures = 0;
            GatewayRenderer.Rendered rendered = ended.write().rendered();
            boolean isNewest = wanted.filter(rendered::isSame).isPresent();
            compactAt = rendered.form() == Form.CHANGES && isNewest ? Optional.of(now.plus(QUIET)) : compactAt;
            wrote(
                    rendered.revision().get(),
                    ended.write().request(),
                    !ended.write().isEmpty() && !isPushed(rendered));
            if (!isNewest) {
                retryAt = Optional.of(now);
            }
        }
        written.keySet().retainAll(new HashSet<>(keys()));
        Set<ObjectKey> touched = Set.copyOf(touchedMeanwhile);
        touchedMeanwhile.clear();
        return touched;
    }

    /** Writes what is not written yet, once, since nobody would do it later. */
    void flush(Context context, WriteRequest request) {
        if (flushed || isWriting()) {
            return;
        }
        flushed = true;
        retryAt = Optional.empty();
        flushAt = flushAt.map(time -> request.now());
        write(context, request);
    }

    // Whether all pods that serve have been sent the changes, which are of what is written. They take them from nobody
    // else than who wrote what they read.
    private boolean push(Context context, WriteRequest request) {
        GatewayRenderer.Rendered rendered = wanted.orElseThrow();
        if (!signed || pushFailed.get() || !rendered.objects().stream().allMatch(this::isWritten)) {
            return false;
        }
        GatewayRenderer.Changes changes = rendered.changes();
        if (isPushed(rendered) || (flushAt.isEmpty() && isWritten(changes.object()))) {
            return flushAt.isPresent();
        }
        pushed = Optional.of(changes);
        pushedMeanwhile = true;
        // Pods have something else than what is written, even if that is what was written before.
        written.remove(ObjectKey.of(changes.object()));
        var changeSet = new ChangeSet(context.pusher().nextRevision(), changes.base(), changes.json());
        boolean all = context.pusher().push(request.gateway(), changeSet, () -> {
            pushFailed.set(true);
            context.observer().pushFailed(request.gateway());
        });
        context.observer().pushed(request.gateway());
        wrote(rendered.revision().get(), request, true);
        return all;
    }

    private boolean isPushed(GatewayRenderer.Rendered rendered) {
        return pushed.equals(Optional.of(rendered.changes()));
    }

    private boolean isWritten(HasMetadata object) {
        return Optional.ofNullable(written.get(ObjectKey.of(object)))
                .filter(last -> last.object().equals(object))
                .isPresent();
    }

    private void wrote(ConfigRevision configRevision, WriteRequest request, boolean anything) {
        generations.wrote(configRevision, request.generation());
        if (anything) {
            begun.put(configRevision, request.news());
            if (begun.size() > MOST_BEGUN) {
                begun.remove(begun.keySet().iterator().next());
            }
        }
    }
}
