package dev.shellac.chaperone.kube;

import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The EndpointSlices of the Services that are wanted, as far as there is room. Their namespaces are watched as wholes; one in which nothing is wanted any more
 * is forgotten.
 */
public final class EndpointSliceWatch implements AutoCloseable {
    // What was left out is looked for again when there is room, but not all the time.
    private static final Duration BETWEEN_LISTS = Duration.ofSeconds(30);

    private final ApiServer api;
    private final ListWatch.Pace pace;
    private final Runnable changed;
    private final SliceStore store;
    private final Map<String, Namespace> watched = new HashMap<>();
    private Set<Name> wanted = Set.of();
    private Slices known = Slices.NONE;

    EndpointSliceWatch(ApiServer api, ListWatch.Pace pace, SliceStore.Bounds bounds, Runnable changed) {
        this.api = api;
        this.pace = pace;
        this.store = new SliceStore(bounds);
        this.changed = changed;
    }

    public synchronized Slices known() {
        return known;
    }

    /** From now on those of these Services, and no others. */
    public synchronized void want(Set<Name> services) {
        if (!services.equals(wanted)) {
            wanted = services;
            Set<String> incomplete = store.want(services);
            Set<String> namespaces = services.stream().map(Name::namespace).collect(Collectors.toSet());
            for (String gone : Set.copyOf(watched.keySet())) {
                if (!namespaces.contains(gone)) {
                    Optional.ofNullable(watched.remove(gone)).ifPresent(Namespace::close);
                    store.forget(gone);
                    publish(without(known.listed(), gone), without(known.faults(), gone), 1);
                }
            }
            incomplete.forEach(this::listAgain);
            namespaces.forEach(name -> watched.computeIfAbsent(name, this::begun));
            if (!store.leftOut().equals(known.leftOut())) {
                publish(known.listed(), known.faults(), 1);
            }
        }
        for (String name : Set.copyOf(watched.keySet())) {
            Namespace namespace = watched.get(name);
            if (namespace != null && store.hasRoomForMore(name) && namespace.isOld()) {
                watched.put(name, renewed(name, namespace));
            }
        }
    }

    private static Set<String> without(Set<String> all, String one) {
        var rest = new HashSet<>(all);
        rest.remove(one);
        return rest;
    }

    private static Map<String, String> without(Map<String, String> all, String one) {
        var rest = new HashMap<>(all);
        rest.remove(one);
        return rest;
    }

    // Slices of a Service that nobody asked for are not there: until they are, nothing is known of it.
    private void listAgain(String name) {
        Namespace namespace = watched.get(name);
        if (namespace == null) {
            return;
        }
        publish(without(known.listed(), name), known.faults(), 0);
        if (namespace.isListed()) {
            watched.put(name, renewed(name, namespace));
        } else {
            namespace.isStale = true; // one list after the other
        }
    }

    private Namespace begun(String name) {
        var namespace = new Namespace(name);
        namespace.start();
        return namespace;
    }

    private Namespace renewed(String name, Namespace before) {
        before.close();
        return begun(name);
    }

    private void publish(Set<String> listed, Map<String, String> faults, int changes) {
        known = new Slices(store.kept(), listed, faults, store.leftOut(), known.changes() + changes);
    }

    @Override
    public synchronized void close() {
        watched.values().forEach(Namespace::close);
        watched.clear();
    }

    /** What is heard of one namespace, as long as it is wanted. */
    private final class Namespace implements ListWatch.Handler<EndpointSlice> {
        private final String namespace;
        private final long since = System.nanoTime();
        private final Set<String> names = new HashSet<>();
        private Optional<ListWatch<EndpointSlice>> watch = Optional.empty();
        private boolean listed;
        private boolean isStale;

        Namespace(String namespace) {
            this.namespace = namespace;
        }

        void start() {
            watch = Optional.of(ListWatch.start(
                    api,
                    new ListWatch.Target("/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices", ""),
                    SliceDecoder::decode,
                    this,
                    pace));
        }

        void close() {
            watch.ifPresent(ListWatch::close);
        }

        boolean isListed() {
            return listed;
        }

        boolean isOld() {
            return listed && System.nanoTime() - since > BETWEEN_LISTS.toNanos();
        }

        // Another one may have taken its place.
        @SuppressWarnings("ReferenceEquality")
        private boolean isGone() {
            return watched.get(namespace) != this;
        }

        @Override
        public void listing() {
            synchronized (EndpointSliceWatch.this) {
                names.clear();
                if (!isGone()) {
                    store.beginList(namespace);
                }
            }
        }

        /** Taken one by one: all of a namespace at once may be more than there is room for. */
        @Override
        public boolean isKept(String name, EndpointSlice slice) {
            synchronized (EndpointSliceWatch.this) {
                if (!isGone() && store.put(new Name(namespace, name), slice)) {
                    names.add(name);
                }
            }
            return false;
        }

        @Override
        public void listed(Map<String, EndpointSlice> none) {
            synchronized (EndpointSliceWatch.this) {
                if (isGone()) {
                    return;
                }
                store.endList(namespace, names);
                names.clear();
                listed = true;
                if (isStale) {
                    watched.put(namespace, renewed(namespace, this));
                    return;
                }
                var all = new HashSet<>(known.listed());
                all.add(namespace);
                publish(all, known.faults(), 1);
            }
            changed.run();
        }

        @Override
        public void changed(String name, Optional<EndpointSlice> now) {
            synchronized (EndpointSliceWatch.this) {
                if (isGone()) {
                    return;
                }
                var key = new Name(namespace, name);
                now.ifPresentOrElse(slice -> store.put(key, slice), () -> store.remove(key));
                publish(known.listed(), known.faults(), 1);
            }
            changed.run();
        }

        @Override
        public void fault(Optional<String> why) {
            synchronized (EndpointSliceWatch.this) {
                if (isGone()
                        || Optional.ofNullable(known.faults().get(namespace)).equals(why)) {
                    return;
                }
                var faults = new HashMap<>(known.faults());
                why.ifPresentOrElse(words -> faults.put(namespace, words), () -> faults.remove(namespace));
                publish(known.listed(), faults, 0);
            }
            changed.run();
        }
    }
}
