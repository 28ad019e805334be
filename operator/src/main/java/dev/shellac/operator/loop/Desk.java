package dev.shellac.operator.loop;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.Cluster;
import dev.shellac.kube.write.Cluster.Stored;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.fleet.Fingerprint;
import dev.shellac.operator.fleet.Generations;
import dev.shellac.operator.loop.GatewayObjects.Form;
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
import java.util.stream.Stream;

/** The configuration of one Gateway: what was written, and what still is to be. For the loop's thread. */
public final class Desk {
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final int MOST_BEGUN = 256;

    /** What writing needs. */
    record Office(Cluster cluster, Listener listener) {}

    /** Who wants to know. */
    public interface Listener {
        void wrote(ObjectKey object);

        void failed(ObjectKey object, IOException why);
    }

    private record Written(HasMetadata object, Stored stored) {}

    private final Generations generations = new Generations();
    private final Map<String, Instant> asked = new HashMap<>();
    private final Map<ObjectKey, Written> written = new HashMap<>();
    private final Map<Fingerprint, Long> begun = new LinkedHashMap<>();
    private Optional<GatewayObjects.Content> wanted = Optional.empty();
    private Optional<Instant> retryAt = Optional.empty();
    private Optional<Instant> tidyAt = Optional.empty();
    private int failures;

    Generations generations() {
        return generations;
    }

    /** When each address was first asked for; those that are not any more are forgotten. */
    Map<String, Instant> asked(Set<String> addresses, Instant now) {
        asked.keySet().retainAll(addresses);
        addresses.forEach(address -> asked.putIfAbsent(address, now));
        return asked;
    }

    void want(GatewayObjects.Content configuration) {
        wanted = Optional.of(configuration);
        tidyAt = Optional.empty();
        generations.vclRefused(configuration.vclFault());
    }

    /** The objects that the configuration is in. */
    Set<ObjectKey> keys() {
        var keys = new LinkedHashSet<ObjectKey>();
        wanted.ifPresent(configuration -> {
            configuration.objects().forEach(object -> keys.add(ObjectKey.of(object)));
            keys.add(ObjectKey.of(configuration.changes()));
        });
        return keys;
    }

    Optional<Instant> retryAt() {
        return retryAt;
    }

    /** When changes are to become part of the whole, should there be no others until then. */
    Optional<Instant> tidyAt() {
        return tidyAt;
    }

    /** Whether something is to be written though nothing changed. */
    boolean isDue(Instant now) {
        return Stream.of(retryAt, tidyAt).flatMap(Optional::stream).anyMatch(time -> !time.isAfter(now));
    }

    Form form(Instant now) {
        return tidyAt.filter(time -> !time.isAfter(now)).isPresent() ? Form.WHOLE : Form.CHANGES;
    }

    /** Whether it was somebody else who made an object what it is now, or took it away: then it is written again. */
    boolean isTouched(ObjectKey key, Optional<String> version) {
        Written last = written.get(key);
        boolean touched = last != null
                && version.map(seen -> last.stored().isOlderThan(seen)).orElse(true);
        if (touched) {
            written.remove(key);
        }
        return touched;
    }

    /** What no object can be made of. */
    void failed(String why) {
        generations.failed(why);
        rest();
    }

    /** Nothing is due any more, until something changes. */
    void rest() {
        retryAt = Optional.empty();
        tidyAt = Optional.empty();
    }

    /** A pod serves this: how long it took, for each configuration that is served with it for the first time. */
    List<Duration> served(Fingerprint live) {
        if (!begun.containsKey(live)) {
            return List.of();
        }
        var took = new ArrayList<Duration>();
        for (Fingerprint one : List.copyOf(begun.keySet())) {
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
    record Occasion(long generation, Instant now, long news) {}

    /** Writes what is not as it shall be; true if all is. */
    boolean write(Office office, Occasion occasion) throws InterruptedException {
        Instant now = occasion.now();
        if (wanted.isEmpty() || retryAt.filter(now::isBefore).isPresent()) {
            return retryAt.isEmpty();
        }
        GatewayObjects.Content content = wanted.get();
        boolean anything = false;
        for (HasMetadata object : Stream.concat(content.objects().stream(), Stream.of(content.changes()))
                .toList()) {
            ObjectKey key = ObjectKey.of(object);
            Optional<Written> last = Optional.ofNullable(written.get(key));
            if (last.filter(before -> before.object().equals(object)).isPresent()) {
                continue;
            }
            try {
                written.put(key, new Written(object, put(office.cluster(), object)));
                office.listener().wrote(key);
                anything = true;
            } catch (IOException e) {
                written.remove(key);
                failures++;
                Duration pause = RETRY.multipliedBy(1L << Math.min(failures - 1, 6));
                retryAt = Optional.of(now.plus(pause.compareTo(RETRY_LONGEST) < 0 ? pause : RETRY_LONGEST));
                office.listener().failed(key, e);
                return false;
            }
        }
        failures = 0;
        retryAt = Optional.empty();
        written.keySet().retainAll(new HashSet<>(keys()));
        tidyAt = content.form() == Form.CHANGES ? Optional.of(now.plus(QUIET)) : Optional.empty();
        wrote(content.fingerprint().get(), occasion, anything);
        return true;
    }

    private void wrote(Fingerprint fingerprint, Occasion occasion, boolean anything) {
        generations.wrote(fingerprint, occasion.generation());
        if (anything) {
            begun.put(fingerprint, occasion.news());
            if (begun.size() > MOST_BEGUN) {
                begun.remove(begun.keySet().iterator().next());
            }
        }
    }

    // Changes come often, and nobody has a reason to add something of their own to them.
    private Stored put(Cluster cluster, HasMetadata object) throws IOException, InterruptedException {
        if (wanted.filter(content -> content.changes().equals(object)).isPresent()) {
            try {
                return cluster.replace(object);
            } catch (ApiFault e) {
                if (!e.isNotFound()) {
                    throw e;
                }
            }
        }
        return cluster.apply(object);
    }
}
