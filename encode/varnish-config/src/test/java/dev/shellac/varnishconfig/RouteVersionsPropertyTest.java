package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Whatever happens to routes and endpoints, no table serves an HTTPRoute by entries of two of its versions. */
final class RouteVersionsPropertyTest {
    private static final int SCRIPTS = 300;
    private static final int EVENTS = 60;
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final String REFUSED = "500";
    private static final String UNAVAILABLE = "503";
    private static final List<String> PATHS = List.of("/a/b/c", "/a/b", "/a", "/c", "/");
    private static final Pattern ROUTE = Pattern.compile(
            "\\{\"path_match\":\\{\"type\":\"PathPrefix\",\"value\":\"([^\"]+)\"}.*\"backend_groups\":\\[(.*)],\"route_name\":\"n/([^\"]+)\".*");
    private static final Pattern POOL = Pattern.compile("\"pool\":\"n/([^:]+):80\"");

    /** A version of a route: the Service of each path. */
    private record Version(Map<String, String> services, Instant seen) {
        boolean isKnown(Set<String> known) {
            return services.values().stream().allMatch(name -> name.equals(REFUSED) || known.contains(name));
        }
    }

    /** An entry of the table. */
    private record Entry(String route, String path, String answer) {}

    private static final Comparator<Entry> ORDER =
            Comparator.<Entry>comparingInt(entry -> PATHS.indexOf(entry.path())).thenComparing(Entry::route);

    private final Random random = new Random(20261118);
    private int held;
    private int late;

    @Test
    void noRequestMeetsTwoVersionsOfARoute() throws RoutingFormatException {
        for (int script = 0; script < SCRIPTS; script++) {
            new Script(script).run();
        }
        assertThat(held).as("versions that waited").isGreaterThan(SCRIPTS);
        assertThat(late).as("versions that waited for too long").isGreaterThan(SCRIPTS / 10);
    }

    /** One random sequence of events. */
    private final class Script {
        private final String name;
        private final RoutingReader reader = new RoutingReader(new JsonOfJackson());
        private final PodJson pod = new PodJson(Set.of("http-80"));
        private final Map<String, Version> wanted = new TreeMap<>();
        private final Map<String, Version> live = new HashMap<>();
        private final Set<String> known = new HashSet<>();
        private Instant now = Instant.EPOCH;

        Script(int number) {
            this.name = "script " + number;
        }

        void run() throws RoutingFormatException {
            for (int event = 0; event < EVENTS; event++) {
                happen();
                PodTable table = pod.encode(
                        reader.read(file()),
                        PersistentMap.empty(),
                        new EndpointWait(service -> known.contains(service.name()), now, LONGEST));
                List<Entry> entries = entries(new String(table.table().bytes(), UTF_8));
                String where = name + ", event " + event;
                assertThat(entries.stream()
                                .filter(entry -> !entry.answer().equals(UNAVAILABLE))
                                .toList())
                        .as(where)
                        .isSortedAccordingTo(ORDER);
                for (String route : List.of("r0", "r1", "r2")) {
                    check(where + ", " + route, route, of(route, entries));
                }
            }
        }

        private void happen() {
            String route = "r" + random.nextInt(3);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> wanted.put(route, version());
                case 3 -> wanted.remove(route);
                case 4 -> known.add("s" + random.nextInt(6));
                case 5 -> known.remove("s" + random.nextInt(6));
                default -> now = now.plusMillis(random.nextInt(1500));
            }
        }

        private Version version() {
            var services = new HashMap<String, String>();
            for (String path : PATHS) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> services.put(path, "s" + random.nextInt(6));
                    case 2 -> services.put(path, random.nextBoolean() ? REFUSED : "s0");
                    default -> {
                        // it does not have this one
                    }
                }
            }
            return new Version(services, now);
        }

        private byte[] file() {
            var entries = new ArrayList<Entry>();
            wanted.forEach((route, version) ->
                    version.services().forEach((path, service) -> entries.add(new Entry(route, path, service))));
            entries.sort(ORDER);
            var json = new ArrayList<String>();
            for (Entry entry : entries) {
                json.add(json(entry, entries.size() - json.size()));
            }
            return ("{\"version\":2,\"listeners\":{\"w\":{\"port\":80}},\"vhosts\":{\"h\":{\"routes\":["
                            + String.join(",", json) + "]}}}")
                    .getBytes(UTF_8);
        }

        private void check(String where, String route, Map<String, String> served) {
            Version version = wanted.get(route);
            if (version == null) {
                assertThat(served).as(where).isEmpty();
                live.remove(route);
                return;
            }
            if (served.equals(version.services())) {
                late += version.isKnown(known) ? 0 : 1;
                live.put(route, version);
                return;
            }
            assertThat(version.isKnown(known))
                    .as(where + ": it waits for nothing")
                    .isFalse();
            assertThat(now).as(where).isBefore(version.seen().plus(LONGEST));
            held++;
            Version before = live.getOrDefault(route, new Version(Map.of(), now));
            assertThat(served.keySet()).as(where).isEqualTo(before.services().keySet());
            served.forEach((path, answer) -> checkHeld(where + path, answer, before, path, version));
        }

        private void checkHeld(String where, String answer, Version before, String path, Version next) {
            String service = before.services().getOrDefault(path, "nobody");
            String later = next.services().get(path);
            boolean revoked = later == null || (later.equals(REFUSED) && !service.equals(REFUSED));
            if (revoked) {
                assertThat(answer).as(where).isEqualTo(UNAVAILABLE);
            } else if (!answer.equals(UNAVAILABLE)) {
                assertThat(answer).as(where).isEqualTo(service);
            }
        }
    }

    private static Map<String, String> of(String route, List<Entry> entries) {
        var found = new HashMap<String, String>();
        entries.stream()
                .filter(entry -> entry.route().equals(route))
                .forEach(entry -> found.put(entry.path(), entry.answer()));
        return found;
    }

    private static List<Entry> entries(String table) {
        return Arrays.stream(table.split("\n", -1))
                .map(ROUTE::matcher)
                .filter(Matcher::find)
                .map(found -> new Entry(found.group(3), found.group(1), answer(found.group(2))))
                .toList();
    }

    private static String answer(String groups) {
        if (groups.contains("on_empty")) {
            return UNAVAILABLE;
        }
        Matcher pool = POOL.matcher(groups);
        return pool.find() ? pool.group(1) : REFUSED;
    }

    private static String json(Entry entry, int priority) {
        String backend = entry.answer().equals(REFUSED)
                ? "\"service\":\"\",\"invalid\":true"
                : "\"service\":\"" + entry.answer() + "\",\"namespace\":\"n\",\"port\":8080,\"service_port\":80";
        return "{\"path_match\":{\"type\":\"PathPrefix\",\"value\":\"" + entry.path() + "\"}," + backend
                + ",\"weight\":1,\"listeners\":[\"w\"],\"route_name\":\"n/" + entry.route()
                + "\",\"origin\":{\"rule\":0,\"match\":" + PATHS.indexOf(entry.path()) + "},\"priority\":" + priority
                + ",\"rule_index\":0}";
    }
}
