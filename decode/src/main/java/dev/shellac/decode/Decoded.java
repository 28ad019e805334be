package dev.shellac.decode;

import dev.shellac.decode.tree.Position;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import java.util.Collection;
import java.util.List;

/** What files turned out to hold: every object that can be used, and everything that was found on the way. */
public record Decoded(List<Located> objects, List<Finding> findings) {
    /** An object and where it was written. */
    public record Located(Resource resource, Position at) {}

    public Decoded {
        objects = List.copyOf(objects);
        findings = List.copyOf(findings);
    }

    /** What files hold together that were decoded one by one: as if they had been decoded at once. */
    public static Decoded join(Collection<Decoded> files) {
        var all = new Gathering();
        for (Decoded file : files) {
            file.findings.forEach(all::report);
            file.objects.forEach(all::keep);
        }
        return all.result();
    }

    public Snapshot snapshot() {
        return Snapshot.of(objects.stream().map(Located::resource).toList());
    }

    public List<Finding> errors() {
        return findings.stream()
                .filter(finding -> finding.severity() == Finding.Severity.ERROR)
                .toList();
    }
}
