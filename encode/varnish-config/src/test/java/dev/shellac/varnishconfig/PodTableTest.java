package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.EndpointSlice.Endpoint;
import dev.shellac.model.core.EndpointSlice.EndpointPort;
import dev.shellac.model.core.EndpointSlice.Readiness;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import dev.shellac.varnishconfig.reading.RoutingReader;
import dev.shellac.varnishconfig.table.EndpointWait;
import dev.shellac.varnishconfig.table.PodJson;
import dev.shellac.varnishconfig.table.PodTable;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a pod makes of routing.json: nothing twice, nothing too early, and no mistake larger than it is. */
final class PodTableTest {
    private static final PersistentMap<Name, EndpointSlice> NO_SLICES = PersistentMap.empty();

    private final JsonOfJackson parser = new JsonOfJackson();
    private final RoutingReader reader = new RoutingReader(parser);
    private final PodJson pod = new PodJson(Set.of("http-80", "spare"));

    @Test
    void aHostThatDidNotChangeIsNotParsedAgain() throws RoutingFormatException {
        String many = IntStream.range(0, 1000)
                .mapToObj(i -> host("h" + i + ".example.com", entry("/", "a", 1)))
                .collect(Collectors.joining(","));
        table(many);
        assertThat(parser.bytesParsed()).isGreaterThan(many.length() / 2);
        table(many);
        assertThat(parser.bytesParsed()).isLessThan(200);
        PodTable changed = table(many.replace(
                "h7.example.com\":{\"routes\":[{\"path", "h7.example.com\":{\"routes\":[{\"method\":\"GET\",\"path"));
        assertThat(parser.bytesParsed()).isLessThan(600);
        assertThat(text(changed)).contains("\"method\":\"GET\"");
    }

    @Test
    void aFileIsNotKeptForTheSakeOfItsHosts() throws RoutingFormatException {
        byte[] first = file(host("a.example.com", entry("/", "a", 1)));
        var kept = new WeakReference<>(first);
        reader.read(first);
        first = file(host("a.example.com", entry("/", "a", 1)) + "," + host("b.example.com", entry("/", "a", 1)));
        reader.read(first);
        for (int i = 0; i < 100 && kept.get() != null; i++) {
            System.gc();
        }
        assertThat(kept.get()).as("the first file").isNull();
        assertThat(reader.read(first).hosts().keySet()).hasSize(2);
    }

    @Test
    void aRouteThatComesBetweenOthersIsParsedAlone() throws RoutingFormatException {
        String[] before = entries(0, 500, 1);
        PodTable first = table(host("a.example.com", before));
        parser.bytesParsed();
        // Behind all others: their priorities grow by one, and nothing else of them changes.
        String[] after = Stream.concat(Arrays.stream(entries(0, 500, 2)), Stream.of(entry("/last", "b", 1)))
                .toArray(String[]::new);
        PodTable second = table(host("a.example.com", after));
        assertThat(parser.bytesParsed()).isLessThan(600);
        assertThat(second.table()).isNotEqualTo(first.table());
        assertThat(second.table())
                .isEqualTo(new PodJson(Set.of("http-80", "spare"))
                        .encode(
                                new RoutingReader(new JsonOfJackson()).read(file(host("a.example.com", after))),
                                NO_SLICES,
                                EndpointWait.none())
                        .table());
    }

    // Paths from one number to another, the last with this priority.
    private static String[] entries(int from, int to, int lastPriority) {
        return IntStream.range(from, to)
                .mapToObj(i -> entry("/p" + i, "a", lastPriority + to - 1 - i))
                .toArray(String[]::new);
    }

    @Test
    void entriesOfOneRouteBecomeGroupsInOrderOfPriority() throws RoutingFormatException {
        PodTable table =
                table(host("a.example.com", entry("/low", "a", 1), entry("/high", "a", 2), entry("/high", "b", 2)));
        assertThat(text(table))
                .containsSubsequence("\"/high\"", "\"shop/a:80\"}", "\"shop/b:80\"}", "\"/low\"", "\"shop/a:80\"}");
        assertThat(table.route("a.example.com", 1))
                .get()
                .satisfies(route -> assertThat(route.name()).isEqualTo("shop/r"));
        assertThat(table.route("a.example.com", 2)).isEmpty();
    }

    @Test
    void aNewRouteWaitsUntilItsServicesAreKnown() throws RoutingFormatException {
        String both =
                host("a.example.com", entry("/a", "a", 2), entry("/b", "b", 1).replace("shop/r", "shop/other"));
        PodTable without = table(both, service -> service.name().equals("a"));
        assertThat(text(without)).contains("\"/a\"").doesNotContain("\"/b\"", "shop/b");
        assertThat(without.waitsFor()).containsExactly(new Name("shop", "b"));
        PodTable with = table(both, service -> true);
        assertThat(text(with)).contains("\"/a\"", "\"/b\"");
        assertThat(with.waitsFor()).isEmpty();
        assertThat(with.table())
                .isEqualTo(new PodJson(Set.of("http-80", "spare"))
                        .encode(reader.read(file(both)), NO_SLICES, EndpointWait.none())
                        .table());
    }

    @Test
    void aHostWhoseRoutesAllWaitIsNotInTheTable() throws RoutingFormatException {
        String one = host("a.example.com", entry("/a", "a", 1));
        PodTable none = table(one, service -> false);
        assertThat(text(none)).doesNotContain("a.example.com");
        assertThat(none.table().bytes()).hasSize(none.table().length());
        assertThat(text(table(one, service -> true))).contains("a.example.com");
    }

    @Test
    void aServedRouteStaysAsItWasUntilItsNewServicesAreKnown() throws RoutingFormatException {
        table(host("a.example.com", entry("/a", "a", 1)));
        String moved = host("a.example.com", entry("/a", "b", 1));
        assertThat(text(table(moved, service -> service.name().equals("a"))))
                .contains("shop/a:80")
                .doesNotContain("shop/b:80");
        assertThat(text(table(moved, service -> true))).contains("shop/b:80").doesNotContain("shop/a:80");
        // What is served is not taken back because a Service is not known any more.
        assertThat(text(table(moved, service -> false))).contains("shop/b:80");
    }

    @Test
    void aHostThatCannotBeReadStaysAsItWas() throws RoutingFormatException {
        table(host("a.example.com", entry("/a", "a", 1)) + "," + host("b.example.com", entry("/b", "b", 1)));
        var read =
                reader.read(file("\"a.example.com\":{\"routes\":[7]}," + host("b.example.com", entry("/c", "b", 1))));
        assertThat(read.faults()).containsOnlyKeys("a.example.com");
        assertThat(text(pod.encode(read, NO_SLICES, EndpointWait.none())))
                .contains("\"/a\"", "\"/c\"")
                .doesNotContain("\"/b\"");
    }

    @Test
    void aFileThatIsNoneIsRefusedWhole() {
        for (String bad : List.of(
                "",
                "{",
                "[]",
                "{\"version\":3}",
                "{\"vhosts\":{}}",
                "{\"version\":2} x",
                "{\"version\":2,\"vhosts\":{\"a\":{}",
                "{\"version\":2,\"a\":1,\"a\":2}",
                "{\"version\":2,\"listeners\":{\"a\":{\"port\":0}}}",
                "{\"version\":2,\"sockets\":{\"a\":\"x\"}}")) {
            assertThatThrownBy(() -> reader.read(bad.getBytes(UTF_8)))
                    .as(bad)
                    .isInstanceOf(RoutingFormatException.class);
        }
    }

    @Test
    void theUsualSocketsAreNamedByPortAndOthersAreFree() throws RoutingFormatException {
        assertThat(text(table(""))).contains("\"sockets\":{\"http-80\":{\"80\":[\"ns/gw/web\"]},\"spare\":{}}");
        PodTable mapped = pod.encode(
                reader.read(new String(file(""), UTF_8)
                        .replace("\"vhosts\"", "\"sockets\":{\"spare\":80,\"edge\":[443,8443]},\"vhosts\"")
                        .getBytes(UTF_8)),
                NO_SLICES,
                EndpointWait.none());
        assertThat(text(mapped))
                .contains("\"sockets\":{\"edge\":{},\"http-80\":{},\"spare\":{\"80\":[\"ns/gw/web\"]}}");
    }

    @Test
    void withoutListenersEachSocketIsOne() throws RoutingFormatException {
        PodTable table = pod.encode(
                reader.read("{\"version\": 2, \"vhosts\": {}}".getBytes(UTF_8)), NO_SLICES, EndpointWait.none());
        assertThat(text(table)).doesNotContain("sockets", "listeners");
    }

    @Test
    void readyEndpointsOfAllSlicesAreTakenAndDrainingOnesOnlyWhereNobodyIsReady() throws RoutingFormatException {
        String one = host("a.example.com", entry("/a", "a", 1));
        var ending = slice(
                "a-1",
                "IPv4",
                new Endpoint(List.of("10.0.0.1"), Readiness.DRAINING),
                new Endpoint(List.of("10.0.0.2"), Readiness.NOT_READY));
        var ready = slice("a-2", "IPv6", new Endpoint(List.of("fd00::1"), Readiness.READY));
        var more = slice("a-3", "IPv4", new Endpoint(List.of("10.0.0.3"), Readiness.READY));
        assertThat(addresses(one, ending)).containsExactly("10.0.0.1");
        assertThat(addresses(one, ending, ready)).containsExactly("fd00::1");
        assertThat(addresses(one, ending, ready, more)).containsExactly("10.0.0.3", "fd00::1");
    }

    private List<String> addresses(String hosts, EndpointSlice... slices) throws RoutingFormatException {
        var map = PersistentMap.<Name, EndpointSlice>of(
                Arrays.asList(slices), slice -> slice.meta().name());
        String text = text(pod.encode(reader.read(file(hosts)), map, EndpointWait.none()));
        return java.util.regex.Pattern.compile("\"address\":\"([^\"]+)\"")
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static EndpointSlice slice(String name, String type, Endpoint... endpoints) {
        return new EndpointSlice(
                Metadata.named("shop", name),
                Optional.of("a"),
                type,
                List.of(endpoints),
                List.of(new EndpointPort("", Optional.of(new Port(8080)), "TCP")));
    }

    private PodTable table(String hosts) throws RoutingFormatException {
        return table(hosts, service -> true);
    }

    private PodTable table(String hosts, Predicate<Name> known) throws RoutingFormatException {
        return pod.encode(reader.read(file(hosts)), NO_SLICES, wait(known));
    }

    private static EndpointWait wait(Predicate<Name> known) {
        return new EndpointWait(known, Instant.EPOCH, Duration.ofSeconds(2));
    }

    private static byte[] file(String hosts) {
        return ("{\"version\":2,\"listeners\":{\"ns/gw/web\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{" + hosts
                        + "}}")
                .getBytes(UTF_8);
    }

    private static String host(String name, String... entries) {
        return "\"" + name + "\":{\"routes\":[" + String.join(",", entries) + "]}";
    }

    private static String entry(String path, String service, int priority) {
        return "{\"path_match\":{\"type\":\"PathPrefix\",\"value\":\"" + path + "\"},\"service\":\"" + service
                + "\",\"namespace\":\"shop\",\"port\":8080,\"service_port\":80,\"weight\":1,\"listeners\":[\"ns/gw/web\"],\"route_name\":\"shop/r\",\"origin\":{\"rule\":0,\"match\":0},\"priority\":"
                + priority + ",\"rule_index\":0}";
    }

    private static String text(PodTable table) {
        return new String(table.table().bytes(), UTF_8);
    }
}
