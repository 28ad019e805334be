package dev.shellac.cli.folder;

import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a folder held at one moment.
 *
 * @param snapshot the same object as that of the reading before if nothing changed, and one that shares what did not
 * @param objects those of the snapshot, with file and line
 * @param stale those of them that are as they last were, and what is wrong with what is written now
 */
public record Reading(
        Snapshot snapshot,
        Map<ResourceId, Located> objects,
        Map<ResourceId, Finding> stale,
        List<Finding> findings,
        Counts counts) {
    /**
     * How much work it was.
     *
     * @param files how many were looked at
     * @param parsed how many of them were new or had changed
     */
    public record Counts(int files, int parsed) {}

    static final Reading NONE = new Reading(Snapshot.empty(), Map.of(), Map.of(), List.of(), new Counts(0, 0));

    public Reading {
        objects = Collections.unmodifiableMap(objects);
        stale = Map.copyOf(stale);
        findings = List.copyOf(findings);
    }

    public Optional<Position> place(ResourceId id) {
        return Optional.ofNullable(objects.get(id)).map(Located::at);
    }

    public int files() {
        return counts.files();
    }

    public int parsed() {
        return counts.parsed();
    }

    public List<Finding> errors() {
        return findings.stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .toList();
    }

    Reading withOnly(Finding finding) {
        var all = new HashMap<ResourceId, Finding>();
        objects.keySet().forEach(id -> all.put(id, finding));
        return new Reading(snapshot, objects, all, List.of(finding), new Counts(0, 0));
    }
}
