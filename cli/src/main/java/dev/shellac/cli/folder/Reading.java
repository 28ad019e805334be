package dev.shellac.cli.folder;

import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a folder held at one moment.
 *
 * @param snapshot the same object as that of the reading before if nothing changed, and one that shares what did not
 * @param objects those of the snapshot, with file and line
 * @param files how many were looked at
 * @param parsed how many of them were new or had changed
 */
public record Reading(
        Snapshot snapshot, Map<ResourceId, Located> objects, List<Finding> findings, int files, int parsed) {
    static final Reading NONE = new Reading(Snapshot.empty(), Map.of(), List.of(), 0, 0);

    public Reading {
        objects = Collections.unmodifiableMap(objects);
        findings = List.copyOf(findings);
    }

    public Optional<Position> place(ResourceId id) {
        return Optional.ofNullable(objects.get(id)).map(Located::at);
    }

    public List<Finding> errors() {
        return findings.stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .toList();
    }

    Reading withOnly(Finding finding) {
        return new Reading(snapshot, objects, List.of(finding), 0, 0);
    }
}
