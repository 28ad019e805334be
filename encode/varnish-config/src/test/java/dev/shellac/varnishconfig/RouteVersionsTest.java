package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import dev.shellac.varnishconfig.reading.RoutingReader;
import dev.shellac.varnishconfig.table.EndpointWait;
import dev.shellac.varnishconfig.table.PodJson;
import dev.shellac.varnishconfig.table.PodTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A version of an HTTPRoute becomes live as a whole, host by host, and never later than two seconds after it was seen. */
final class RouteVersionsTest {
    private static final PersistentMap<Name, EndpointSlice> NO_SLICES = PersistentMap.empty();
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final Pattern ROUTE = Pattern.compile(
            "\\{\"path_match\":\\{\"type\":\"PathPrefix\",\"value\":\"([^\"]+)\"}.*\"backend_groups\":\\[(.*)],\"route_name\":\"shop/([^\"]+)\".*");
    private static final Pattern POOL = Pattern.compile("\"pool\":\"shop/([^:]+):80\"");

    private final RoutingReader reader = new RoutingReader(new JsonOfJackson());
    private final PodJson pod = new PodJson(Set.of("http-80"));
    private final Set<String> known = new HashSet<>();
    private Instant now = Instant.EPOCH;
    private List<String> entries = List.of();

    @Test
    void aNewRouteIsServedWholeOrNotAtAll() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/api", "b"), entry("r", "/", "a"));
        assertThat(served()).as("/api would be answered by a").isEmpty();
        known.add("b");
        assertThat(served()).containsExactly("r /api b", "r / a");
    }

    @Test
    void aRuleWithoutABackendWaitsWithTheRest() throws RoutingFormatException {
        write(entry("r", "/api", "b"), entry("r", "/", ""));
        assertThat(served()).isEmpty();
    }

    @Test
    void afterTwoSecondsItIsServedWithoutTheEndpoints() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/api", "b"), entry("r", "/", "a"));
        PodTable waiting = table();
        assertThat(waiting.waitsFor()).containsExactly(new Name("shop", "b"));
        assertThat(waiting.waitsSince()).contains(now);
        now = now.plus(LONGEST).minusMillis(1);
        assertThat(served()).isEmpty();
        now = now.plusMillis(1);
        PodTable late = table();
        assertThat(served(late)).containsExactly("r /api b", "r / a");
        assertThat(text(late)).contains("\"shop/b:80\":{\"backends\":[]}");
        assertThat(late.waitsFor()).isEmpty();
        assertThat(late.waitsSince()).isEmpty();
    }

    @Test
    void anotherVersionThatWaitsForNothingElseDoesNotWaitLonger() throws RoutingFormatException {
        write(entry("r", "/api", "b"));
        served();
        now = now.plusSeconds(1);
        write(entry("r", "/v2", "b"));
        assertThat(served()).isEmpty();
        now = now.plusSeconds(1);
        assertThat(served()).containsExactly("r /v2 b");
    }

    @Test
    void aChangedRouteStaysAsItWas() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/api", "a"), entry("r", "/", "a"));
        served();
        write(
                entry("r", "/api", "b"),
                entry("r", "/", "a").replace("\"weight\":1", "\"weight\":2"),
                entry("r", "/x", "a"));
        assertThat(served()).containsExactly("r /api a", "r / a");
        known.add("b");
        assertThat(served()).containsExactly("r /api b", "r / a", "r /x a");
    }

    @Test
    void otherRoutesOfTheHostWaitForNobody() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/api", "a"), entry("r", "/", "a"));
        served();
        write(entry("r", "/api", "b"), entry("other", "/app", "a"), entry("r", "/", "b"), entry("last", "/", "a"));
        assertThat(served()).containsExactly("r /api a", "other /app a", "r / a", "last / a");
        write(entry("r", "/api", "b"), entry("r", "/", "b"));
        assertThat(served()).containsExactly("r /api a", "r / a");
    }

    @Test
    void aDeletedRouteAndARemovedRuleAreGoneAtOnce() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/admin", "a"), entry("gone", "/b", "a"), entry("r", "/", "a"));
        served();
        write(entry("other", "/app", "a"), entry("r", "/", "b"));
        assertThat(served()).containsExactly("other /app a", "r /admin 503", "r / a");
        assertThat(served()).containsExactly("other /app a", "r /admin 503", "r / a");
        known.add("b");
        assertThat(served()).containsExactly("other /app a", "r / b");
    }

    @Test
    void aRouteThatIsPutBackIsServedAsItWas() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/admin", "a"), entry("r", "/", "a"));
        served();
        write(entry("r", "/", "b"));
        served();
        write(entry("r", "/admin", "a"), entry("r", "/", "a"));
        assertThat(served()).containsExactly("r /admin a", "r / a");
    }

    @Test
    void aWithdrawnGrantIsNeverHeldBack() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/api", "a"), entry("r", "/", "a"));
        served();
        write(refused("r", "/api"), entry("r", "/", "b"));
        assertThat(served()).containsExactly("r /api 503", "r / a");
        known.add("b");
        assertThat(served()).containsExactly("r /api 500", "r / b");
    }

    @Test
    void aMirrorThatIsNotNamedAnyMoreGetsNoCopies() throws RoutingFormatException {
        known.addAll(Set.of("a", "copies"));
        String mirrored = entry("r", "/", "a")
                .replace(
                        "\"service\":\"a\"",
                        "\"filters\":{\"request_mirrors\":[{\"service\":\"copies\",\"namespace\":\"shop\",\"port\":8080,\"service_port\":80}]},\"service\":\"a\"");
        write(mirrored);
        assertThat(text(table())).contains("shop/copies:80");
        write(entry("r", "/", "b"));
        assertThat(text(table())).doesNotContain("shop/copies:80");
        assertThat(served()).containsExactly("r / 503");
    }

    @Test
    void aListenerThatTheRouteLeftIsLeftAtOnce() throws RoutingFormatException {
        known.add("a");
        write(entry("r", "/", "a").replace("[\"web\"]", "[\"web\",\"admin\"]"));
        assertThat(text(table())).contains("[\"web\",\"admin\"]");
        write(entry("r", "/", "b"));
        assertThat(text(table())).contains("\"listeners\":[\"web\"]").doesNotContain("\"admin\"]");
        assertThat(served()).containsExactly("r / a");
        write(entry("r", "/", "b").replace("[\"web\"]", "[\"admin\"]"));
        assertThat(served()).as("none of its listeners is left").isEmpty();
    }

    @Test
    void hostsBecomeLiveOnTheirOwn() throws RoutingFormatException {
        known.add("a");
        PodTable table = pod.encode(
                reader.read(file("\"x.example.com\":{\"routes\":[" + entry("r", "/", "a")
                        + "]},\"y.example.com\":{\"routes\":[" + entry("r", "/", "b") + "]}")),
                NO_SLICES,
                waiting());
        assertThat(text(table)).contains("x.example.com").doesNotContain("y.example.com");
        assertThat(table.names(new Name("shop", "a"))).isTrue();
        assertThat(table.names(new Name("shop", "b"))).isFalse();
    }

    private void write(String... next) {
        var withPriorities = new ArrayList<String>();
        for (int i = 0; i < next.length; i++) {
            withPriorities.add(next[i].replace("\"priority\":0", "\"priority\":" + (next.length - i)));
        }
        entries = withPriorities;
    }

    private List<String> served() throws RoutingFormatException {
        return served(table());
    }

    private PodTable table() throws RoutingFormatException {
        PodTable table = pod.encode(
                reader.read(file("\"a.example.com\":{\"routes\":[" + String.join(",", entries) + "]}")),
                NO_SLICES,
                waiting());
        assertThat(table.table().bytes()).hasSize(table.table().length());
        return table;
    }

    private EndpointWait waiting() {
        return new EndpointWait(service -> known.contains(service.name()), now, LONGEST);
    }

    // Each entry as its route, its path, and its Services or its answer.
    private static List<String> served(PodTable table) {
        return Arrays.stream(text(table).split("\n", -1))
                .map(ROUTE::matcher)
                .filter(java.util.regex.Matcher::find)
                .map(found -> found.group(3) + " " + found.group(1) + " " + answer(found.group(2)))
                .toList();
    }

    private static String answer(String groups) {
        if (groups.contains("\"on_empty\":503")) {
            return "503";
        }
        return groups.contains("invalid")
                ? "500"
                : POOL.matcher(groups).results().map(pool -> pool.group(1)).collect(Collectors.joining("+"));
    }

    private static byte[] file(String hosts) {
        return ("{\"version\":2,\"listeners\":{\"web\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{" + hosts
                        + "}}")
                .getBytes(UTF_8);
    }

    private static String refused(String route, String path) {
        return entry(route, path, "").replace("\"service\":\"\"", "\"service\":\"\",\"invalid\":true");
    }

    private static String entry(String route, String path, String service) {
        return "{\"path_match\":{\"type\":\"PathPrefix\",\"value\":\"" + path + "\"},\"service\":\"" + service
                + "\",\"namespace\":\"shop\",\"port\":8080,\"service_port\":80,\"weight\":1,\"listeners\":[\"web\"],\"route_name\":\"shop/"
                + route + "\",\"origin\":{\"rule\":0,\"match\":0},\"priority\":0,\"rule_index\":0}";
    }

    private static String text(PodTable table) {
        return new String(table.table().bytes(), UTF_8);
    }
}
