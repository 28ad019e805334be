package dev.shellac.cli.analysis;

import dev.shellac.cli.folder.Folder;
import dev.shellac.cli.folder.Reading;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.Listener;
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
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder, and what it comes to.
 *
 * @param running what runs of each Gateway; nothing if no data plane was started, and then each is assumed to serve what it is given
 */
public record FolderAnalysis(
        Path folder, Reading reading, Outcome outcome, Optional<Map<Name, RunningGateway>> running) {
    private static final Address HERE = new Address("IPAddress", "127.0.0.1");

    /** As {@code shellac run} would serve it. */
    public static FolderAnalysis of(Path folder) {
        return of(folder, Settings.onHost());
    }

    /** As a cluster would. */
    public static FolderAnalysis inCluster(Path folder) {
        return of(folder, Settings.alone());
    }

    private static FolderAnalysis of(Path folder, Settings settings) {
        Reading reading = Folder.at(folder, InstantSource.system()).read();
        var reports = new HashMap<Name, DataPlane>();
        reading.snapshot()
                .all(Gateway.class)
                .forEach(gateway -> reports.put(gateway.meta().name(), DataPlane.serving(HERE)));
        Outcome outcome = new Translator(settings).translate(reading.snapshot().reported(reports));
        return new FolderAnalysis(folder, reading, outcome, Optional.empty());
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

    /** Why a listener of a Gateway or ListenerSet is not served; nothing if it is. */
    public Optional<Problem> problem(ResourceId owner, Listener listener) {
        boolean planned = plans().stream()
                .flatMap(plan -> plan.listeners().stream())
                .anyMatch(
                        served -> served.owner().equals(owner) && served.name().equals(listener.name()));
        return planned
                ? Optional.empty()
                : new ConditionProblems(this)
                        .problems()
                        .filter(problem -> problem.isError()
                                && problem.object().equals(owner.toString())
                                && problem.part().equals(ConditionProblems.part(listener.name())))
                        .findFirst();
    }

    /** All that is wrong, in order of file and line. */
    public List<Problem> problems() {
        return Stream.of(
                        reading.findings().stream().map(Problem::of),
                        new ConditionProblems(this).problems(),
                        new UnservedObjects(this).problems())
                .flatMap(all -> all)
                .sorted(Problem.BY_PLACE)
                .toList();
    }
}
