package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.varnishconfig.reading.Routing;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import dev.shellac.varnishconfig.reading.RoutingReader;
import dev.shellac.varnishconfig.routing.RoutingFile;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.EndpointWait;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.GhostTable;
import dev.shellac.varnishconfig.table.PodJson;
import dev.shellac.varnishconfig.table.PodTable;
import java.util.HashSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A pod knows routing.json and not the plan. It comes to the same table, byte by byte, hash included. */
final class RoutingCarriesTheTableTest {
    private static final int SCRIPTS = 30;
    private static final int EDITS = 12;

    @Test
    void thePodsTableIsThatOfThePlan() throws RoutingFormatException {
        var tables = new HashSet<String>();
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var shop = new RandomShop(seed);
            var translator = new Translator(Settings.alone());
            var reader = new RoutingReader(new JsonOfJackson());
            var routing = new RoutingJson();
            // All sockets that a plan of these can have; those without a port are free, in both tables.
            var remembering = new PodJson(Set.of("pool-0", "pool-1", "pool-2", "edge"));
            Snapshot snapshot = shop.start();
            for (int i = 0; i < EDITS; i++) {
                Inputs inputs = Inputs.of(snapshot, translator);
                byte[] file = file(routing, inputs);
                PodTable pod = remembering.encode(reader.read(file), slices(snapshot), EndpointWait.none());
                PodTable fresh = new PodJson(inputs.sockets().ports().keySet())
                        .encode(
                                new RoutingReader(new JsonOfJackson()).read(file),
                                slices(snapshot),
                                EndpointWait.none());
                GhostTable plan = new GhostJson().encode(inputs.plan(), inputs.slices(), inputs.sockets());
                String where = "seed " + seed + ", edit " + i;
                assertThat(text(fresh)).as(where).isEqualTo(new String(plan.bytes(), UTF_8));
                assertThat(pod.table().length()).as(where).isEqualTo(pod.table().bytes().length);
                assertThat(vhosts(text(pod))).as(where).isEqualTo(vhosts(text(fresh)));
                tables.add(fresh.table().hash());
                snapshot = shop.edit(snapshot);
            }
        }
        assertThat(tables).as("the scripts change something").hasSizeGreaterThan(SCRIPTS * EDITS / 3);
    }

    @Test
    void aReaderThatRemembersComesToTheSameHash() throws RoutingFormatException {
        for (long seed = 100; seed < 100 + SCRIPTS; seed++) {
            var shop = new RandomShop(seed);
            var sockets = Set.of("http-80", "http-8080");
            var reader = new RoutingReader(new JsonOfJackson());
            var remembering = new PodJson(sockets);
            Snapshot snapshot = shop.start();
            for (int i = 0; i < EDITS; i++) {
                Inputs inputs = Inputs.of(snapshot, new Translator(Settings.alone()));
                byte[] file = new RoutingJson().encode(inputs.plan()).getBytes(UTF_8);
                PodTable pod = remembering.encode(reader.read(file), slices(snapshot), EndpointWait.none());
                PodTable fresh = new PodJson(sockets)
                        .encode(
                                new RoutingReader(new JsonOfJackson()).read(file),
                                slices(snapshot),
                                EndpointWait.none());
                assertThat(text(pod)).as("seed %d, edit %d", seed, i).isEqualTo(text(fresh));
                for (int more = i % 3; more >= 0; more--) {
                    snapshot = shop.edit(snapshot);
                }
            }
        }
    }

    @Test
    void changesOfAFileComeToTheTableOfTheWholeOne() throws RoutingFormatException {
        int asChanges = 0;
        int most = 0;
        for (long seed = 200; seed < 200 + SCRIPTS; seed++) {
            var random = new Random(seed);
            var shop = new RandomShop(seed);
            var translator = new Translator(Settings.alone());
            var routing = new RoutingJson();
            var reader = new RoutingReader(new JsonOfJackson());
            var sockets = Set.of("http-80", "http-8080");
            var remembering = new PodJson(sockets);
            Snapshot snapshot = shop.start();
            Optional<RoutingFile> base = Optional.empty();
            for (int i = 0; i < EDITS * 2; i++) {
                Inputs inputs = Inputs.of(snapshot, translator);
                RoutingFile next = routing.file(inputs.plan());
                // Now and then the whole file, as when it was quiet.
                Optional<String> changes = random.nextInt(6) == 0
                        ? Optional.empty()
                        : base.flatMap(before -> next.changesSince(before, 1 << 20));
                byte[] whole = next.text().getBytes(UTF_8);
                Routing read;
                if (changes.isPresent()) {
                    String text = changes.get().isEmpty() ? "{\"version\":2}" : changes.get();
                    read = reader.change(text.getBytes(UTF_8));
                    asChanges++;
                    most = Math.max(most, changes.get().length());
                } else {
                    read = reader.read(whole);
                    base = Optional.of(next);
                }
                PodTable pod = remembering.encode(read, slices(snapshot), EndpointWait.none());
                Routing again = new RoutingReader(new JsonOfJackson()).read(whole);
                assertThat(read.hosts().keySet())
                        .as("seed %d, edit %d", seed, i)
                        .isEqualTo(again.hosts().keySet());
                assertThat(text(pod))
                        .as("seed %d, edit %d", seed, i)
                        .isEqualTo(text(new PodJson(sockets).encode(again, slices(snapshot), EndpointWait.none())));
                snapshot = random.nextInt(5) == 0 ? shop.start() : shop.edit(snapshot);
            }
        }
        assertThat(asChanges).as("changes were read").isGreaterThan(SCRIPTS * EDITS / 2);
        assertThat(most).as("they held something").isGreaterThan(1000);
    }

    @Test
    void changesThatAreTooLongAreNone() {
        var shop = new RandomShop(7);
        var translator = new Translator(Settings.alone());
        var routing = new RoutingJson();
        Snapshot snapshot = shop.start();
        RoutingFile before = routing.file(Inputs.of(snapshot, translator).plan());
        assertThat(before.changesSince(before, 0)).hasValue("");
        int found = 0;
        for (int i = 0; i < EDITS * 2; i++) {
            snapshot = shop.edit(snapshot);
            RoutingFile next = routing.file(Inputs.of(snapshot, translator).plan());
            String changes = next.changesSince(before, 1 << 20).orElse("");
            if (!changes.isEmpty()) {
                int length = changes.getBytes(UTF_8).length;
                assertThat(next.changesSince(before, length)).hasValue(changes);
                assertThat(next.changesSince(before, length - 1)).isEmpty();
                found++;
            }
        }
        assertThat(found).isPositive();
    }

    @Test
    void aHostOfTheChangesThatCannotBeReadIsAsItWas() throws RoutingFormatException {
        var reader = new RoutingReader(new JsonOfJackson());
        String host = "{\"routes\":[{\"route\":\"shop/cart\",\"path_match\":{\"type\":\"PathPrefix\",\"value\":\"/\"},"
                + "\"service\":\"cart\",\"namespace\":\"shop\",\"port\":8080,\"weight\":1,\"priority\":1}]}";
        reader.read(("{\"version\":2,\"vhosts\":{\"a.example.com\":" + host + "}}").getBytes(UTF_8));
        Routing changed =
                reader.change(("{\"version\":2,\"vhosts\":{\"a.example.com\":{\"routes\":7},\"b.example.com\":" + host
                                + ",\"no such name\":null}}")
                        .getBytes(UTF_8));
        assertThat(changed.hosts().keySet())
                .extracting(Hostname::value)
                .containsExactly("a.example.com", "b.example.com");
        assertThat(changed.faults()).containsOnlyKeys("a.example.com");
        Routing back = reader.change("{\"version\":2,\"vhosts\":{}}".getBytes(UTF_8));
        assertThat(back.hosts().keySet()).extracting(Hostname::value).containsExactly("a.example.com");
        assertThat(back.faults()).isEmpty();
    }

    private static byte[] file(RoutingJson routing, Inputs inputs) {
        return routing.encode(inputs.plan(), inputs.sockets()).getBytes(UTF_8);
    }

    private static PersistentMap<Name, EndpointSlice> slices(Snapshot snapshot) {
        return PersistentMap.of(
                snapshot.all(EndpointSlice.class), slice -> slice.meta().name());
    }

    private static String vhosts(String table) {
        return table.substring(table.indexOf("\"listeners\""));
    }

    private static String text(PodTable table) {
        return new String(table.table().bytes(), UTF_8);
    }
}
