package dev.shellac.operator.controller;

import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What arrived on its way into the snapshot. An object that names ConfigMaps or Secrets waits until these were read, so that nobody is told that a
 * certificate is missing which is only on its way; the form before it stays meanwhile, and nobody else waits. For the loop's thread.
 */
public final class Arrivals {
    static final Duration LONGEST = Duration.ofSeconds(10);

    /** The readers of what is named. */
    public interface Reader extends LastValid.Store {
        /** From now on these, and no others. */
        void read(Set<ResourceId> wanted);

        /** Whether one of them was read, or is known not to be there. */
        boolean isRead(ResourceId wanted);
    }

    private record Held(Resource object, Instant since) {}

    private final Reader reader;
    private final String controller;
    private final Map<Inbox.Key, Held> held = new LinkedHashMap<>();
    private Set<ResourceId> wanted = Set.of();
    private Set<Name> policies = Set.of();
    private Snapshot looked = Snapshot.empty();

    Arrivals(Reader reader, String controller) {
        this.reader = reader;
        this.controller = controller;
    }

    /** When one that waits for too long is to be let in. */
    Optional<Instant> due() {
        return held.values().stream().map(one -> one.since().plus(LONGEST)).min(Instant::compareTo);
    }

    /** Whether nothing waits. */
    boolean isEmpty() {
        return held.isEmpty();
    }

    /** The snapshot with the forms before those that cannot be read. */
    Snapshot withUnreadable(Collection<ClusterWatch.Unreadable> forms, Snapshot snapshot) {
        Snapshot next = snapshot;
        for (ClusterWatch.Unreadable form : forms) {
            Name name = form.id().name();
            Optional<? extends Resource> waiting = Optional.ofNullable(held.remove(new Inbox.Key(form.kind(), name)))
                    .map(Held::object);
            Optional<Resource> last =
                    LastValid.of(form, waiting.isPresent() ? waiting : snapshot.find(form.kind(), name));
            next = last.isPresent() ? next.with(last.get()) : next.without(form.kind(), name);
        }
        return next;
    }

    /**
     * The snapshot with what arrived.
     *
     * @param inUse the BackendTLSPolicies that routes of ours are subject to
     */
    Snapshot into(Snapshot snapshot, Map<Inbox.Key, Optional<Resource>> arrived, Collection<Name> inUse, Instant now) {
        Snapshot next = snapshot;
        for (Map.Entry<Inbox.Key, Optional<Resource>> entry : arrived.entrySet()) {
            Inbox.Key key = entry.getKey();
            if (entry.getValue().isEmpty()) {
                held.remove(key);
                next = next.without(key.kind(), key.name());
            } else if (References.HOLDERS.contains(key.kind())) {
                Resource object = LastValid.of(entry.getValue().get(), snapshot, reader);
                held.merge(key, new Held(object, now), (before, after) -> new Held(object, before.since()));
            } else {
                next = next.with(LastValid.of(entry.getValue().get(), snapshot, reader));
            }
        }
        Snapshot all = next;
        for (Held one : held.values()) {
            all = all.with(one.object());
        }
        look(all, inUse);
        return admitted(next, all, now);
    }

    private void look(Snapshot all, Collection<Name> inUse) {
        Set<Name> concerned = Set.copyOf(inUse);
        if (References.mayDiffer(looked, all) || !policies.equals(concerned)) {
            looked = all;
            policies = concerned;
            wanted = new References(all, controller).all(concerned);
            reader.read(wanted);
        }
    }

    private Snapshot admitted(Snapshot without, Snapshot all, Instant now) {
        var references = new References(all, controller);
        // Each is asked about once, however many name it.
        Map<ResourceId, Boolean> known = new HashMap<>();
        Predicate<ResourceId> isUnread = id -> !known.computeIfAbsent(id, reader::isRead);
        Snapshot next = without;
        for (Map.Entry<Inbox.Key, Held> entry : Map.copyOf(held).entrySet()) {
            Held one = entry.getValue();
            boolean waits = one.since().plus(LONGEST).isAfter(now)
                    && references.of(one.object()).anyMatch(isUnread);
            if (!waits) {
                held.remove(entry.getKey());
                next = next.with(one.object());
            }
        }
        return next;
    }
}
