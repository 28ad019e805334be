package dev.shellac.operator.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.kube.api.Requests;
import dev.shellac.kube.watch.Collection;
import dev.shellac.kube.watch.ListWatch;
import dev.shellac.kube.watch.RawObject;
import dev.shellac.model.Name;
import dev.shellac.operator.children.Labels;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The pods and Services of all our Gateways, watched; and every pod of our Deployments asked for its state. */
public final class PodRegistry implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration CONNECTS_WITHIN = Duration.ofSeconds(2);

    /** A Gateway as its objects name it: its namespace, and the value of the label. */
    public record Key(String namespace, String label) {}

    /** What is known of Gateways besides. */
    public interface Gateways {
        /** What the pods of a Gateway want to hear. */
        String token(Key gateway);

        /** Of a Gateway of ours; nothing where there is none. */
        Optional<String> uid(Key gateway);
    }

    /**
     * Everything known of one Gateway.
     *
     * @param states by the uid of the pod
     * @param silent the uids of pods that do not answer
     */
    public record GatewayPods(
            List<Pod> pods, Map<String, PodState> states, Set<String> silent, List<GatewayService> services) {
        public GatewayPods {
            pods = List.copyOf(pods);
            states = Map.copyOf(states);
            silent = Set.copyOf(silent);
            services = List.copyOf(services);
        }
    }

    private final Gateways gateways;
    private final int port;
    private final Consumer<Key> news;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECTS_WITHIN)
            .build();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Name, Pod> pods = new HashMap<>();
    private final Map<Name, GatewayService> services = new HashMap<>();
    private final PodOwners owners = new PodOwners();
    private final Map<String, PodState> states = new HashMap<>();
    private final Set<String> silent = new HashSet<>();
    private final Map<String, StatePoll> polls = new HashMap<>();
    private final List<ListWatch> watches;

    private PodRegistry(Requests api, Gateways gateways, Consumer<Key> news, int port) {
        this.gateways = gateways;
        this.port = port;
        this.news = news;
        this.watches = List.of(
                ListWatch.start(
                        api, ours("apps/v1", "replicasets", "ReplicaSet").metadata(), owners(owners.replicaSets)),
                ListWatch.start(
                        api, ours("apps/v1", "deployments", "Deployment").metadata(), owners(owners.deployments)),
                ListWatch.start(api, ours("v1", "pods", "Pod"), new Reading<>(pods, Pod::of, this::podChanged)),
                ListWatch.start(
                        api,
                        ours("v1", "services", "Service"),
                        new Reading<>(services, GatewayService::of, this::serviceChanged)));
    }

    /**
     * Starts watching.
     *
     * @param news called when something about a Gateway changed
     */
    public static PodRegistry start(Requests api, Gateways gateways, Consumer<Key> news) {
        return start(api, gateways, news, StatePoll.PORT);
    }

    static PodRegistry start(Requests api, Gateways gateways, Consumer<Key> news, int port) {
        return new PodRegistry(api, gateways, news, port);
    }

    private static Collection ours(String apiVersion, String plural, String kind) {
        return Collection.of(Collection.path(apiVersion, plural), new RawObject.Type(apiVersion, kind))
                .labelled(Labels.OURS);
    }

    private Reading<PodOwners.Link> owners(Map<Name, PodOwners.Link> links) {
        return new Reading<>(links, PodOwners.Link::of, this::ownerChanged);
    }

    private record Difference<T>(Optional<T> before, Optional<T> after) {}

    private final class Reading<T> implements ListWatch.Handler {
        private final Map<Name, T> all;
        private final BiFunction<Name, JsonNode, T> reader;
        private final Consumer<Difference<T>> changed;

        Reading(Map<Name, T> all, BiFunction<Name, JsonNode, T> reader, Consumer<Difference<T>> changed) {
            this.all = all;
            this.reader = reader;
            this.changed = changed;
        }

        @Override
        public void there(RawObject object) {
            T next = reader.apply(object.name(), tree(object));
            put(object.name(), Optional.of(next));
        }

        @Override
        public void gone(Name name) {
            put(name, Optional.empty());
        }

        private void put(Name name, Optional<T> next) {
            Optional<T> before;
            lock.lock();
            try {
                before = Optional.ofNullable(next.isPresent() ? all.put(name, next.get()) : all.remove(name));
            } finally {
                lock.unlock();
            }
            if (!before.equals(next)) {
                changed.accept(new Difference<>(before, next));
            }
        }

        @Override
        public void listed() {
            // Each was told on its own.
        }
    }

    private static JsonNode tree(RawObject object) {
        try {
            return JSON.readTree(object.json());
        } catch (IOException e) {
            throw new IllegalStateException("what was just written cannot be read", e);
        }
    }

    private void podChanged(Difference<Pod> pod) {
        lock.lock();
        try {
            pod.before()
                    .filter(before -> isPolledElsewhere(before, pod.after()))
                    .ifPresent(before -> stop(before.uid()));
            pod.after().ifPresent(this::follow);
        } finally {
            lock.unlock();
        }
        pod.before().ifPresent(before -> news.accept(key(before)));
        pod.after().ifPresent(after -> news.accept(key(after)));
    }

    private void ownerChanged(Difference<PodOwners.Link> owner) {
        owner.before().or(owner::after).ifPresent(link -> recheck(link.name().namespace()));
    }

    /** Looks again whose the pods and Services of a namespace are. */
    public void recheck(String namespace) {
        var concerned = new HashSet<Key>();
        lock.lock();
        try {
            for (Pod pod : pods.values()) {
                if (pod.name().namespace().equals(namespace)) {
                    follow(pod);
                    concerned.add(key(pod));
                }
            }
            services.values().stream()
                    .filter(service -> service.name().namespace().equals(namespace))
                    .forEach(service -> concerned.add(key(service)));
        } finally {
            lock.unlock();
        }
        concerned.forEach(news);
    }

    private static boolean isPolledElsewhere(Pod before, Optional<Pod> after) {
        return after.isEmpty()
                || !after.get().uid().equals(before.uid())
                || !after.get().endpoint().equals(before.endpoint());
    }

    // Asks a pod for its state while it is ours.
    private void follow(Pod pod) {
        boolean wanted = pod.endpoint().isPresent() && isOurs(pod);
        if (!wanted) {
            stop(pod.uid());
        } else if (!polls.containsKey(pod.uid())) {
            polls.put(
                    pod.uid(), StatePoll.start(http, pod.endpoint().orElseThrow() + ":" + port, new PollHandler(pod)));
        }
    }

    private boolean isOurs(Pod pod) {
        return gateways.uid(key(pod)).filter(uid -> owners.isOf(pod, uid)).isPresent();
    }

    private boolean isOurs(GatewayService service) {
        return gateways.uid(key(service)).filter(service.owner()::equals).isPresent();
    }

    private void stop(String pod) {
        Optional.ofNullable(polls.remove(pod)).ifPresent(StatePoll::close);
        states.remove(pod);
        silent.remove(pod);
    }

    private final class PollHandler implements StatePoll.Handler {
        private final Pod pod;

        PollHandler(Pod pod) {
            this.pod = pod;
        }

        @Override
        public String token() {
            return gateways.token(key(pod));
        }

        @Override
        public void reported(PodState state) {
            apply(() -> {
                states.put(pod.uid(), state);
                silent.remove(pod.uid());
            });
        }

        @Override
        public void silent() {
            apply(() -> silent.add(pod.uid()));
        }

        private void apply(Runnable change) {
            lock.lock();
            try {
                if (polls.containsKey(pod.uid())) {
                    change.run();
                }
            } finally {
                lock.unlock();
            }
            news.accept(key(pod));
        }
    }

    private void serviceChanged(Difference<GatewayService> service) {
        service.before().ifPresent(before -> news.accept(key(before)));
        service.after().ifPresent(after -> news.accept(key(after)));
    }

    private static Key key(Pod pod) {
        return new Key(pod.name().namespace(), pod.gateway());
    }

    private static Key key(GatewayService service) {
        return new Key(service.name().namespace(), service.gateway());
    }

    /** What is known of a Gateway now. */
    public GatewayPods of(Key gateway) {
        lock.lock();
        try {
            List<Pod> own = pods.values().stream()
                    .filter(pod -> key(pod).equals(gateway) && isOurs(pod))
                    .sorted((one, other) -> one.name().compareTo(other.name()))
                    .toList();
            var said = new HashMap<String, PodState>();
            own.forEach(
                    pod -> Optional.ofNullable(states.get(pod.uid())).ifPresent(state -> said.put(pod.uid(), state)));
            return new GatewayPods(
                    own,
                    said,
                    own.stream().map(Pod::uid).filter(silent::contains).collect(Collectors.toSet()),
                    services.values().stream()
                            .filter(service -> key(service).equals(gateway) && isOurs(service))
                            .sorted((one, other) -> one.name().compareTo(other.name()))
                            .toList());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        watches.forEach(ListWatch::close);
        lock.lock();
        try {
            polls.values().forEach(StatePoll::close);
        } finally {
            lock.unlock();
        }
        http.shutdownNow();
    }
}
