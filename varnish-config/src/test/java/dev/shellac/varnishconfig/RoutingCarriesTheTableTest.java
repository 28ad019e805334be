package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.shared.SharedMap;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.varnishconfig.reading.NotRouting;
import dev.shellac.varnishconfig.reading.RoutingReader;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.GhostTable;
import dev.shellac.varnishconfig.table.PodJson;
import dev.shellac.varnishconfig.table.PodTable;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A pod knows routing.json and not the plan. It comes to the same table, byte by byte, hash included. */
final class RoutingCarriesTheTableTest {
    private static final int SCRIPTS = 30;
    private static final int EDITS = 12;

    @Test
    void thePodsTableIsThatOfThePlan() throws NotRouting {
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
                PodTable pod = remembering.encode(reader.read(file), slices(snapshot), service -> true);
                PodTable fresh = new PodJson(inputs.sockets().ports().keySet())
                        .encode(new RoutingReader(new JsonOfJackson()).read(file), slices(snapshot), service -> true);
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
    void aReaderThatRemembersComesToTheSameHash() throws NotRouting {
        for (long seed = 100; seed < 100 + SCRIPTS; seed++) {
            var shop = new RandomShop(seed);
            var sockets = Set.of("http-80", "http-8080");
            var reader = new RoutingReader(new JsonOfJackson());
            var remembering = new PodJson(sockets);
            Snapshot snapshot = shop.start();
            for (int i = 0; i < EDITS; i++) {
                Inputs inputs = Inputs.of(snapshot, new Translator(Settings.alone()));
                byte[] file = new RoutingJson().encode(inputs.plan()).getBytes(UTF_8);
                PodTable pod = remembering.encode(reader.read(file), slices(snapshot), service -> true);
                PodTable fresh = new PodJson(sockets)
                        .encode(new RoutingReader(new JsonOfJackson()).read(file), slices(snapshot), service -> true);
                assertThat(text(pod)).as("seed %d, edit %d", seed, i).isEqualTo(text(fresh));
                for (int more = i % 3; more >= 0; more--) {
                    snapshot = shop.edit(snapshot);
                }
            }
        }
    }

    private static byte[] file(RoutingJson routing, Inputs inputs) {
        return routing.encode(inputs.plan(), inputs.sockets()).getBytes(UTF_8);
    }

    private static SharedMap<Name, EndpointSlice> slices(Snapshot snapshot) {
        return SharedMap.of(
                snapshot.all(EndpointSlice.class), slice -> slice.meta().name());
    }

    private static String vhosts(String table) {
        return table.substring(table.indexOf("\"listeners\""));
    }

    private static String text(PodTable table) {
        return new String(table.table().bytes(), UTF_8);
    }
}
