package dev.shellac.operator.fleet;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** The pods and Services of all our Gateways, watched; and every pod asked for its state. */
public final class Fleet implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration CONNECTS_WITHIN = Duration.ofSeconds(2);

    /** A Gateway as its objects name it: its namespace, and the value of the label. */
    public record Key(String namespace, String label) {}

    /** Everything known of one Gateway. */
    public record Parts(List<Pod> pods, Map<String, PodState> states, List<Front> fronts) {
        public Parts {
            pods = List.copyOf(pods);
            states = Map.copyOf(states);
            fronts = List.copyOf(fronts);
        }
    }

    private final Function<Key, String> tokens;
    private final Consumer<Key> news;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECTS_WITHIN)
            .build();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Name, Pod> pods = new HashMap<>();
    private final Map<Name, Front> fronts = new HashMap<>();
    private final Map<String, PodState> states = new HashMap<>();
    private final Map<String, StatePoll> polls = new HashMap<>();
    private final List<ListWatch> watches;

    private Fleet(Requests api, Function<Key, String> tokens, Consumer<Key> news) {
        this.tokens = tokens;
        this.news = news;
        this.watches = List.of(
                watch(api, "pods", "Pod", pods, Pod::of, this::podChanged),
                watch(api, "services", "Service", fronts, Front::of, this::frontChanged));
    }

    /**
     * Starts watching.
     *
     * @param tokens what the pods of a Gateway want to hear
     * @param news called when something about a Gateway changed
     */
    public static Fleet start(Requests api, Function<Key, String> tokens, Consumer<Key> news) {
        return new Fleet(api, tokens, news);
    }

    private <T> ListWatch watch(
            Requests api,
            String plural,
            String kind,
            Map<Name, T> all,
            BiFunction<Name, JsonNode, T> reader,
            Consumer<Difference<T>> changed) {
        return ListWatch.start(
                api,
                Collection.of(Collection.path("v1", plural), new RawObject.Type("v1", kind))
                        .labelled(Labels.OURS),
                new Reading<>(all, reader, changed));
    }

    private record Difference<T>(Optional<T> before, Optional<T> after) {}

    private final class Reading<T> implements ListWatch.Listener {
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
                    .ifPresent(this::stop);
            pod.after()
                    .filter(after -> after.door().isPresent() && !polls.containsKey(after.uid()))
                    .ifPresent(after -> polls.put(after.uid(), poll(after)));
        } finally {
            lock.unlock();
        }
        pod.before().ifPresent(before -> news.accept(key(before)));
        pod.after().ifPresent(after -> news.accept(key(after)));
    }

    private static boolean isPolledElsewhere(Pod before, Optional<Pod> after) {
        return after.isEmpty()
                || !after.get().uid().equals(before.uid())
                || !after.get().door().equals(before.door());
    }

    private void stop(Pod pod) {
        Optional.ofNullable(polls.remove(pod.uid())).ifPresent(StatePoll::close);
        states.remove(pod.uid());
    }

    private StatePoll poll(Pod pod) {
        return StatePoll.start(
                http, pod.door().orElseThrow() + ":" + StatePoll.PORT, () -> tokens.apply(key(pod)), state -> {
                    lock.lock();
                    try {
                        if (polls.containsKey(pod.uid())) {
                            states.put(pod.uid(), state);
                        }
                    } finally {
                        lock.unlock();
                    }
                    news.accept(key(pod));
                });
    }

    private void frontChanged(Difference<Front> front) {
        front.before().ifPresent(before -> news.accept(key(before)));
        front.after().ifPresent(after -> news.accept(key(after)));
    }

    private static Key key(Pod pod) {
        return new Key(pod.name().namespace(), pod.gateway());
    }

    private static Key key(Front front) {
        return new Key(front.name().namespace(), front.gateway());
    }

    /** What is known of a Gateway now. */
    public Parts of(Key gateway) {
        lock.lock();
        try {
            List<Pod> own = pods.values().stream()
                    .filter(pod -> key(pod).equals(gateway))
                    .sorted((one, other) -> one.name().compareTo(other.name()))
                    .toList();
            var said = new HashMap<String, PodState>();
            own.forEach(
                    pod -> Optional.ofNullable(states.get(pod.uid())).ifPresent(state -> said.put(pod.uid(), state)));
            return new Parts(
                    own,
                    said,
                    fronts.values().stream()
                            .filter(front -> key(front).equals(gateway))
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
