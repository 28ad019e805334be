package dev.shellac.decode;

import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.model.ResourceId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Objects and findings in the order in which they come. Of two objects of one name the first is kept. */
final class Gathering {
    private final Map<ResourceId, Located> objects = new LinkedHashMap<>();
    private final List<Finding> findings = new ArrayList<>();

    void report(Finding finding) {
        findings.add(finding);
    }

    void keep(Located found) {
        Located first = objects.putIfAbsent(found.resource().id(), found);
        if (first != null) {
            report(new Finding(
                    Severity.ERROR,
                    found.at(),
                    found.resource().id().toString(),
                    "metadata.name",
                    "there is already one of this name, at " + first.at() + "; this one is not used"));
        }
    }

    Decoded result() {
        return new Decoded(new ArrayList<>(objects.values()), findings);
    }
}
