package dev.shellac.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Snapshot;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What random edits find nothing in would say nothing. */
final class RandomClusterTest {
    private static final int SCRIPTS = 60;
    private static final int EDITS = 40;

    @Test
    void theScriptsReachTheInterestingPlaces() {
        var reasons = new TreeSet<String>();
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var cluster = new RandomCluster(seed);
            Snapshot snapshot = cluster.start();
            for (int i = 0; i < EDITS; i++) {
                new Translator(Settings.alone())
                        .translate(snapshot).statuses().httpRoutes().values().stream()
                                .flatMap(status -> status.parents().stream())
                                .flatMap(parent -> parent.conditions().conditions().stream())
                                .forEach(condition -> reasons.add(condition.type() + "=" + condition.reason()));
                snapshot = cluster.edit(snapshot);
            }
        }
        assertThat(reasons)
                .contains(
                        "Accepted=Accepted",
                        "Accepted=NoMatchingParent",
                        "Accepted=NotAllowedByListeners",
                        "Accepted=NoMatchingListenerHostname",
                        "Accepted=UnsupportedValue",
                        "PartiallyInvalid=UnsupportedValue",
                        "ResolvedRefs=ResolvedRefs",
                        "ResolvedRefs=RefNotPermitted",
                        "ResolvedRefs=BackendNotFound",
                        "ResolvedRefs=InvalidKind",
                        "ResolvedRefs=UnsupportedProtocol");
    }
}
