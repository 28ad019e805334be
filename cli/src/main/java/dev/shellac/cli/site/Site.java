package dev.shellac.cli.site;

import dev.shellac.cli.folder.Folder;
import dev.shellac.cli.folder.Reading;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.status.Address;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A folder, and what it comes to.
 *
 * @param running the Gateways that a data plane has reported for; of others it is assumed that they serve what they are given
 */
public record Site(Path folder, Reading reading, Outcome outcome, Map<Name, DataPlane> running) {
    private static final Address HERE = new Address("IPAddress", "127.0.0.1");

    public static Site of(Path folder, LiveState live) {
        return of(folder, Folder.at(folder, InstantSource.system()).read(), live);
    }

    static Site of(Path folder, Reading reading, LiveState live) {
        Map<Name, DataPlane> running = live.reports();
        var reports = new HashMap<Name, DataPlane>();
        reading.snapshot()
                .all(Gateway.class)
                .forEach(gateway -> reports.put(gateway.meta().name(), DataPlane.serving(HERE)));
        reports.putAll(running);
        Outcome outcome =
                new Translator(Settings.alone()).translate(reading.snapshot().reported(reports));
        return new Site(folder, reading, outcome, running);
    }

    public Snapshot snapshot() {
        return reading.snapshot();
    }

    public Collection<GatewayPlan> plans() {
        return outcome.plans().values();
    }

    public Collection<EndpointSlice> slices() {
        return snapshot().all(EndpointSlice.class);
    }

    /** Where an object is written; the folder, for one that is not in it. */
    public Position place(ResourceId id) {
        return reading.place(id).orElseGet(() -> Position.whole(folder.toString()));
    }

    /** All that is wrong, in order of file and line. */
    public List<Problem> problems() {
        return Stream.of(
                        reading.findings().stream().map(Problem::of),
                        new Conditions(this).problems(),
                        new Idle(this).problems())
                .flatMap(all -> all)
                .sorted(Problem.BY_PLACE)
                .toList();
    }
}
