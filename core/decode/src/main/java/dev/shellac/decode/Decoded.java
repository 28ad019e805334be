package dev.shellac.decode;

import dev.shellac.decode.tree.Position;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import java.util.List;

/** What files turned out to hold: every object that can be used, and everything that was found on the way. */
public record Decoded(List<Located> objects, List<Finding> findings) {
    /** An object and where it was written. */
    public record Located(Resource resource, Position at) {
        /** What there is to say of this object, if another has its name already: the first is used. */
        public Finding namesake(Located first) {
            return new Finding(
                    Finding.Severity.ERROR,
                    at,
                    resource.id().toString(),
                    "metadata.name",
                    "there is already one of this name, at " + first.at + "; this one is not used");
        }
    }

    public Decoded {
        objects = List.copyOf(objects);
        findings = List.copyOf(findings);
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
