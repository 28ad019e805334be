package dev.shellac.chaperone.kube;

import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.shared.SharedMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The EndpointSlices of the namespaces that are wanted. A namespace that is not wanted any more is forgotten. */
public final class SliceFeed implements AutoCloseable {
    private final ApiServer api;
    private final ListWatch.Pace pace;
    private final Runnable changed;
    private final Map<String, ListWatch<EndpointSlice>> watches = new HashMap<>();
    private Slices known = Slices.NONE;

    SliceFeed(ApiServer api, ListWatch.Pace pace, Runnable changed) {
        this.api = api;
        this.pace = pace;
        this.changed = changed;
    }

    public synchronized Slices known() {
        return known;
    }

    /** From now on these namespaces, and no others. */
    public synchronized void want(Set<String> namespaces) {
        for (String gone : Set.copyOf(watches.keySet())) {
            if (!namespaces.contains(gone)) {
                Optional.ofNullable(watches.remove(gone)).ifPresent(ListWatch::close);
                forget(gone);
            }
        }
        for (String namespace : namespaces) {
            watches.computeIfAbsent(
                    namespace,
                    name -> ListWatch.start(
                            api,
                            new ListWatch.Target(
                                    "/apis/discovery.k8s.io/v1/namespaces/" + name + "/endpointslices", ""),
                            SliceDecoder::decode,
                            new Namespace(name),
                            pace));
        }
    }

    private void forget(String namespace) {
        var listed = new HashSet<>(known.listed());
        listed.remove(namespace);
        var faults = new HashMap<>(known.faults());
        faults.remove(namespace);
        known = new Slices(without(known.all(), namespace), listed, faults, known.changes() + 1);
    }

    private static SharedMap<Name, EndpointSlice> without(SharedMap<Name, EndpointSlice> all, String namespace) {
        SharedMap<Name, EndpointSlice> rest = all;
        for (Map.Entry<Name, EndpointSlice> entry : all.between(Name.firstOf(namespace), Name.firstAfter(namespace))) {
            rest = rest.without(entry.getKey());
        }
        return rest;
    }

    @Override
    public synchronized void close() {
        watches.values().forEach(ListWatch::close);
        watches.clear();
    }

    /** What is heard of one namespace, as long as it is wanted. */
    private final class Namespace implements ListWatch.Listener<EndpointSlice> {
        private final String namespace;

        Namespace(String namespace) {
            this.namespace = namespace;
        }

        @Override
        public void listed(Map<String, EndpointSlice> all) {
            synchronized (SliceFeed.this) {
                if (!watches.containsKey(namespace)) {
                    return;
                }
                SharedMap<Name, EndpointSlice> next = known.all();
                for (Map.Entry<Name, EndpointSlice> entry :
                        next.between(Name.firstOf(namespace), Name.firstAfter(namespace))) {
                    if (!all.containsKey(entry.getKey().name())) {
                        next = next.without(entry.getKey());
                    }
                }
                for (Map.Entry<String, EndpointSlice> entry : all.entrySet()) {
                    next = next.with(new Name(namespace, entry.getKey()), entry.getValue());
                }
                var listed = new HashSet<>(known.listed());
                listed.add(namespace);
                known = new Slices(next, listed, known.faults(), known.changes() + 1);
            }
            changed.run();
        }

        @Override
        public void changed(String name, Optional<EndpointSlice> now) {
            synchronized (SliceFeed.this) {
                if (!watches.containsKey(namespace)) {
                    return;
                }
                var key = new Name(namespace, name);
                SharedMap<Name, EndpointSlice> next = now.isPresent()
                        ? known.all().with(key, now.get())
                        : known.all().without(key);
                known = new Slices(next, known.listed(), known.faults(), known.changes() + 1);
            }
            changed.run();
        }

        @Override
        public void fault(Optional<String> why) {
            synchronized (SliceFeed.this) {
                if (!watches.containsKey(namespace)
                        || Optional.ofNullable(known.faults().get(namespace)).equals(why)) {
                    return;
                }
                var faults = new HashMap<>(known.faults());
                why.ifPresentOrElse(words -> faults.put(namespace, words), () -> faults.remove(namespace));
                known = new Slices(known.all(), known.listed(), faults, known.changes());
            }
            changed.run();
        }
    }
}
