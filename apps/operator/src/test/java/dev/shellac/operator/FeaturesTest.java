package dev.shellac.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What a GatewayClass says we can do is what the reports of the official suite on file say: no less, and no more. */
final class FeaturesTest {
    private static final Path REPORTS = Path.of("../../conformance/reports");
    /** What the core tests of a profile are about, by the suite's own list of it. */
    private static final Map<String, List<String>> CORE =
            Map.of("GATEWAY-HTTP", List.of("Gateway", "HTTPRoute", "ReferenceGrant"));

    @TestFactory
    Stream<DynamicTest> everyReportProvesWhatIsClaimed() throws IOException {
        try (Stream<Path> reports = Files.list(REPORTS)) {
            return reports.sorted().toList().stream()
                    .map(report -> DynamicTest.dynamicTest(report.getFileName().toString(), () -> {
                        assertThat(proven(report))
                                .containsExactlyElementsOf(Features.settings().supportedFeatures());
                    }));
        }
    }

    private static SortedSet<String> proven(Path report) throws IOException {
        var proven = new TreeSet<String>();
        for (JsonNode profile : Serialization.unmarshal(Files.readString(report), JsonNode.class)
                .path("profiles")) {
            String name = profile.path("name").asText();
            if (isWhole(profile.path("core"))) {
                proven.addAll(CORE.getOrDefault(name, List.of("core of " + name)));
            }
            if (isWhole(profile.path("extended"))) {
                profile.path("extended").path("supportedFeatures").forEach(feature -> proven.add(feature.asText()));
            }
        }
        return proven;
    }

    private static boolean isWhole(JsonNode part) {
        JsonNode statistics = part.path("statistics");
        return part.path("result").asText().equals("success")
                && statistics.path("Failed").asInt(1) == 0
                && statistics.path("Skipped").asInt(1) == 0;
    }
}
