package dev.shellac.chaperone.kube;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.FakeApi;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.EndpointSlice.Endpoint;
import dev.shellac.model.core.EndpointSlice.EndpointPort;
import dev.shellac.model.core.EndpointSlice.Readiness;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How many endpoints a pod keeps, and whose. */
final class SliceStoreTest {
    private static final Name A = new Name("one", "a");
    private static final Name B = new Name("two", "b");
    private static final Name C = new Name("three", "c");

    private final SliceStore store = new SliceStore(new SliceStore.Bounds(20, 12, 4));

    @Test
    void slicesOfServicesThatNoRouteNamesAreFewAndAreListedWhenOneDoes() {
        assertThat(store.want(Set.of(A))).isEmpty();
        put("one", "a", "a-1", 8);
        assertThat(put("one", "x", "x-1", 4)).isTrue();
        assertThat(put("one", "y", "y-1", 1)).isFalse();
        assertThat(put("one", "x", "x-1", 1)).isTrue();
        assertThat(store.leftOut()).isEmpty();
        assertThat(store.want(Set.of(A, new Name("one", "y")))).containsExactly("one");
        store.beginList("one");
        put("one", "a", "a-1", 8);
        put("one", "y", "y-1", 1);
        store.endList("one", Set.of("a-1", "y-1"));
        assertThat(store.kept().keySet()).containsExactly(new Name("one", "a-1"), new Name("one", "y-1"));
        assertThat(store.want(Set.of(A))).isEmpty();
    }

    @Test
    void aNamespaceKeepsItsShare() {
        store.want(Set.of(A));
        assertThat(put("one", "a", "a-1", 8)).isTrue();
        assertThat(put("one", "a", "a-2", 8)).isFalse();
        assertThat(store.leftOut()).containsExactly(A);
        assertThat(store.hasRoomForMore("one")).isTrue();
        assertThat(put("one", "a", "a-3", 4)).isTrue();
        assertThat(store.hasRoomForMore("one")).isFalse();
        store.remove(new Name("one", "a-1"));
        assertThat(store.hasRoomForMore("one")).isTrue();
        store.beginList("one");
        put("one", "a", "a-2", 8);
        put("one", "a", "a-3", 4);
        store.endList("one", Set.of("a-2", "a-3"));
        assertThat(store.leftOut()).isEmpty();
    }

    @Test
    void whereAllAreTooManyTheLargestNamespaceLosesSome() {
        store.want(Set.of(A, B, C));
        put("one", "a", "a-1", 6);
        put("one", "a", "a-2", 6);
        put("two", "b", "b-1", 8);
        assertThat(put("three", "c", "c-1", 2)).isTrue();
        assertThat(store.leftOut()).containsExactly(A);
        assertThat(store.kept().keySet())
                .containsExactlyInAnyOrder(new Name("one", "a-1"), new Name("two", "b-1"), new Name("three", "c-1"));
        assertThat(put("one", "a", "a-2", 6)).as("it does not take from others").isFalse();
        store.forget("two");
        assertThat(store.hasRoomForMore("one")).isTrue();
    }

    @Test
    void aFeedTakesWhatThereIsRoomForAndTheRestWhenThereIsMore() throws Exception {
        try (FakeApi api = FakeApi.start()) {
            for (int i = 0; i < 4; i++) {
                put(api, "a-" + i, "a", 5);
            }
            put(api, "x-1", "x", 5);
            var pace = new ListWatch.Pace(new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)), new Random(1));
            try (var watch =
                    new EndpointSliceWatch(ApiServer.at(api.url()), pace, new SliceStore.Bounds(20, 12, 4), () -> {})) {
                watch.want(Set.of(A));
                eventually("listed", () -> watch.known().listed().contains("one"));
                assertThat(watch.known().all()).hasSize(2);
                assertThat(watch.known().leftOut()).containsExactly(A);
                assertThat(watch.known().services()).containsExactly(A);
                // One that nobody asked for before, and that was not kept.
                watch.want(Set.of(new Name("one", "x")));
                eventually("its slice", () -> watch.known().all().containsKey(new Name("one", "x-1")));
                eventually("listed again", () -> watch.known().listed().contains("one"));
                assertThat(watch.known().leftOut()).isEmpty();
            }
        }
    }

    private static void put(FakeApi api, String name, String service, int endpoints) {
        api.put(
                "/apis/discovery.k8s.io/v1/namespaces/one/endpointslices",
                name,
                "\"kubernetes.io/service-name\":\"" + service + "\"",
                ",\"addressType\":\"IPv4\",\"endpoints\":"
                        + Collections.nCopies(endpoints, "{\"addresses\":[\"10.0.0.1\"]}")
                        + ",\"ports\":[{\"port\":8080}]");
    }

    @Test
    void eachOfManyPortsMakesBackendsOfAllAddresses() {
        store.want(Set.of(A));
        assertThat(store.put(new Name("one", "a-1"), slice("one", "a", "a-1", 4, 4)))
                .isTrue();
        assertThat(store.put(new Name("one", "a-1"), slice("one", "a", "a-1", 4, 6)))
                .isTrue();
        assertThat(store.put(new Name("one", "a-1"), slice("one", "a", "a-1", 4, 7)))
                .isFalse();
        assertThat(store.kept()).isEmpty();
        assertThat(store.leftOut()).containsExactly(A);
    }

    private boolean put(String namespace, String service, String name, int endpoints) {
        return store.put(new Name(namespace, name), slice(namespace, service, name, endpoints, 1));
    }

    private static EndpointSlice slice(String namespace, String service, String name, int endpoints, int ports) {
        return new EndpointSlice(
                Metadata.named(namespace, name),
                Optional.of(service),
                "IPv4",
                Collections.nCopies(endpoints, new Endpoint(List.of("10.0.0.1"), Readiness.READY)),
                Collections.nCopies(ports, new EndpointPort("", Optional.of(new Port(8080)), "TCP")));
    }
}
