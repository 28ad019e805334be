package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.varnishconfig.routing.RoutingFile;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.GhostTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An encoder that remembers writes what one without a memory would write. */
final class IncrementalTest {
    private static final int SCRIPTS = 40;
    private static final int EDITS = 40;

    @Test
    void incrementalIsAsFromScratch() {
        var tables = new HashSet<String>();
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var shop = new RandomShop(seed);
            var translator = new Translator(Settings.alone());
            var ghost = new GhostJson();
            var routing = new RoutingJson();
            Snapshot snapshot = shop.start();
            for (int i = 0; i < EDITS; i++) {
                Inputs inputs = Inputs.of(snapshot, translator);
                Inputs fresh = Inputs.of(snapshot, new Translator(Settings.alone()));
                GhostTable table = ghost.encode(inputs.plan(), inputs.slices(), inputs.sockets());
                String where = "seed " + seed + ", edit " + i;
                assertThat(text(table))
                        .as(where)
                        .isEqualTo(text(new GhostJson().encode(fresh.plan(), fresh.slices(), fresh.sockets())));
                assertThat(routing.encode(inputs.plan())).as(where).isEqualTo(new RoutingJson().encode(fresh.plan()));
                GhostSchema.check(text(table));
                tables.add(table.hash());
                snapshot = shop.edit(snapshot);
            }
        }
        assertThat(tables).as("the scripts change something").hasSizeGreaterThan(SCRIPTS * EDITS / 3);
    }

    @Test
    void severalChangesAtOnceAndOldSnapshotsAreAsFromScratch() {
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var random = new Random(seed);
            var shop = new RandomShop(1000 + seed);
            var translator = new Translator(Settings.alone());
            var ghost = new GhostJson();
            var routing = new RoutingJson();
            var seen = new ArrayList<>(List.of(shop.start()));
            for (int i = 0; i < EDITS; i++) {
                Snapshot snapshot = seen.get(random.nextInt(4) == 0 ? random.nextInt(seen.size()) : seen.size() - 1);
                // Now and then a plan and a list that share nothing with what came before.
                boolean strange = random.nextInt(5) == 0;
                Inputs inputs = Inputs.of(snapshot, strange ? new Translator(Settings.alone()) : translator);
                Inputs fresh = Inputs.of(snapshot, new Translator(Settings.alone()));
                GhostTable table = ghost.encode(
                        inputs.plan(), strange ? List.copyOf(inputs.slices()) : inputs.slices(), inputs.sockets());
                String where = "seed " + seed + ", edit " + i;
                assertThat(text(table))
                        .as(where)
                        .isEqualTo(text(new GhostJson().encode(fresh.plan(), fresh.slices(), fresh.sockets())));
                assertThat(table.length()).as(where).isEqualTo(table.bytes().length);
                assertThat(routing.file(inputs.plan()).text())
                        .as(where)
                        .isEqualTo(new RoutingJson().encode(fresh.plan()));
                for (int more = random.nextInt(4); more >= 0; more--) {
                    snapshot = shop.edit(snapshot);
                }
                seen.add(snapshot);
            }
        }
    }

    @Test
    void aChangeOfOneRouteLeavesTheOldTableAsItWas() {
        var shop = new RandomShop(7);
        var translator = new Translator(Settings.alone());
        var ghost = new GhostJson();
        var routing = new RoutingJson();
        Snapshot snapshot = shop.start();
        Inputs inputs = Inputs.of(snapshot, translator);
        GhostTable table = ghost.encode(inputs.plan(), inputs.slices(), inputs.sockets());
        RoutingFile file = routing.file(inputs.plan());
        String tableText = text(table);
        String fileText = file.text();
        for (int i = 0; i < EDITS; i++) {
            snapshot = shop.edit(snapshot);
            Inputs next = Inputs.of(snapshot, translator);
            ghost.encode(next.plan(), next.slices(), next.sockets());
            routing.file(next.plan());
        }
        assertThat(text(table)).isEqualTo(tableText);
        assertThat(file.text()).isEqualTo(fileText);
    }

    @Test
    void theOrderOfTheSlicesSaysNothing() {
        var random = new Random(5);
        for (long seed = 0; seed < SCRIPTS; seed++) {
            Inputs inputs = Inputs.of(new RandomShop(seed).start(), new Translator(Settings.alone()));
            var shuffled = new ArrayList<EndpointSlice>(inputs.slices());
            Collections.shuffle(shuffled, random);
            assertThat(new GhostJson().encode(inputs.plan(), shuffled, inputs.sockets()))
                    .isEqualTo(new GhostJson().encode(inputs.plan(), inputs.slices(), inputs.sockets()));
        }
    }

    @Test
    void equalContentHasAnEqualHashAndOtherContentAnother() {
        Snapshot snapshot = new RandomShop(1).start();
        Inputs inputs = Inputs.of(snapshot, new Translator(Settings.alone()));
        GhostTable table = new GhostJson().encode(inputs.plan(), inputs.slices(), inputs.sockets());
        GhostTable without = new GhostJson().encode(inputs.plan(), List.of(), inputs.sockets());

        assertThat(text(table)).contains("\"hash\":\"" + table.hash() + "\"");
        assertThat(without.hash()).isNotEqualTo(table.hash());
        assertThat(snapshot.find(EndpointSlice.class, new Name("shop", "a-1"))).isPresent();
    }

    private static String text(GhostTable table) {
        return new String(table.bytes(), UTF_8);
    }
}
