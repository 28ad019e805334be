package dev.shellac.translate;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Source;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.status.Address;
import dev.shellac.testkit.golden.CaseInputs;
import dev.shellac.testkit.golden.GoldenCase;
import dev.shellac.testkit.golden.GoldenOutput;
import dev.shellac.testkit.golden.GoldenSuite;
import dev.shellac.translate.print.CanonicalYaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The objects of the official conformance tests, read from the suite's Go module. Give it the folder of the module:
 * {@code -Dgateway.api.conformance=…/sigs.k8s.io/gateway-api/conformance@v1.7.0}.
 */
@EnabledIfSystemProperty(named = "gateway.api.conformance", matches = ".+")
final class ConformanceGoldenTest {
    private static final Path CASES = Path.of("src/test/resources/conformance");
    private static final Path MADE_BY_THE_SUITE = Path.of("src/test/resources/made-by-the-suite.yaml");

    @TestFactory
    Stream<DynamicNode> cases() {
        return GoldenSuite.at(CASES, ConformanceGoldenTest::translate)
                .withInputsFrom(ConformanceGoldenTest::inputs)
                .tests();
    }

    private static Optional<CaseInputs> inputs(String name) throws IOException {
        Path module = Path.of(System.getProperty("gateway.api.conformance"));
        Path test = module.resolve("tests").resolve(name + ".yaml");
        if (!Files.isRegularFile(test)) {
            throw new IOException("the suite has no test " + name + ": " + test + " is missing");
        }
        return Optional.of(CaseInputs.of(Map.of(
                "base.yaml", module.resolve("base/manifests.yaml"),
                "made-by-the-suite.yaml", MADE_BY_THE_SUITE.toAbsolutePath(),
                "test.yaml", test)));
    }

    private static List<GoldenOutput> translate(GoldenCase input) throws IOException {
        Decoded decoded = Decoder.decode(input.texts().entrySet().stream()
                .map(file -> Source.of(
                        file.getKey(),
                        file.getValue()
                                .replace("{GATEWAY_CLASS_NAME}", "varnish")
                                .replace("{GATEWAY_CONTROLLER_NAME}", Settings.CONTROLLER_NAME)
                                // The suite puts addresses in the place of these before it applies them.
                                .replace("PLACEHOLDER_UNUSABLE_ADDRS", "198.51.100.1")
                                .replace("PLACEHOLDER_USABLE_ADDRS", "192.0.2.1")))
                .toList());
        if (!decoded.errors().isEmpty()) {
            throw new AssertionError(String.join(
                    "\n", decoded.errors().stream().map(Finding::toString).toList()));
        }
        Snapshot snapshot = decoded.snapshot();
        var reports = new HashMap<Name, DataPlane>();
        snapshot.all(Gateway.class)
                .forEach(gateway ->
                        reports.put(gateway.meta().name(), DataPlane.serving(new Address("IPAddress", "192.0.2.1"))));
        Outcome outcome = new Translator(Settings.among()).translate(snapshot.reported(reports));
        return List.of(
                GoldenOutput.always("plan.yaml", CanonicalYaml.print(outcome.plans())),
                GoldenOutput.always("status.yaml", CanonicalYaml.print(outcome.statuses())));
    }
}
