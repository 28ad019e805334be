package dev.shellac.translate;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Source;
import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.Effect;
import dev.shellac.model.DataPlane.LateCertificates;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.status.Address;
import dev.shellac.testkit.golden.GoldenCase;
import dev.shellac.testkit.golden.GoldenOutput;
import dev.shellac.testkit.golden.GoldenSuite;
import dev.shellac.translate.print.CanonicalYaml;
import dev.shellac.translate.resolve.LastVcl;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * Whole translations. Every Gateway has a data plane that serves at 192.0.2.1, unless {@code options.yaml} says otherwise:
 * {@code data-plane: absent}, or a fault that it reports. {@code last-vcl} is the text of a user's VCL that was in effect.
 */
final class TranslateGoldenTest {
    private static final Address ADDRESS = new Address("IPAddress", "192.0.2.1");

    @TestFactory
    Stream<DynamicNode> cases() {
        return GoldenSuite.at(Path.of("src/test/resources/golden"), TranslateGoldenTest::translate)
                .withDistinctOutputs()
                .tests();
    }

    private static List<GoldenOutput> translate(GoldenCase input) throws IOException {
        Map<String, String> options = options(input);
        Decoded decoded = Decoder.decodeStored(input.texts().entrySet().stream()
                .map(file -> Source.of(file.getKey(), file.getValue()))
                .toList());
        if (!decoded.findings().isEmpty() && !options.containsKey("unreadable")) {
            throw new AssertionError(String.join(
                    "\n", decoded.findings().stream().map(Finding::toString).toList()));
        }
        Snapshot snapshot =
                LastVcl.standIn(decoded.snapshot(), (configMap, key) -> Optional.ofNullable(options.get("last-vcl")));
        Outcome outcome = new Translator(settings(options)).translate(snapshot.reported(reports(snapshot, options)));
        return List.of(
                GoldenOutput.always("plan.yaml", CanonicalYaml.print(outcome.plans())),
                GoldenOutput.always("status.yaml", CanonicalYaml.print(outcome.statuses())));
    }

    private static Settings settings(Map<String, String> options) {
        Settings settings = options.containsKey("other-controllers") ? Settings.among() : Settings.alone();
        return options.containsKey("tls-to-backends") ? settings.withTlsUpstream() : settings;
    }

    private static Map<Name, DataPlane> reports(Snapshot snapshot, Map<String, String> options) {
        var reports = new HashMap<Name, DataPlane>();
        if (!options.getOrDefault("data-plane", "serving").equals("absent")) {
            snapshot.all(Gateway.class)
                    .forEach(gateway -> reports.put(gateway.meta().name(), report(options)));
        }
        return reports;
    }

    private static DataPlane report(Map<String, String> options) {
        return new DataPlane(
                options.containsKey("no-address") ? List.of() : List.of(ADDRESS),
                pair(options, "unusable-address"),
                pair(options, "unavailable-port").entrySet().stream()
                        .collect(Collectors.toMap(
                                port -> new Port(Integer.parseInt(port.getKey())), Map.Entry::getValue)),
                Optional.ofNullable(options.get("refused-route")).stream()
                        .map(TranslateGoldenTest::refusal)
                        .toList(),
                pair(options, "refused-certificate").entrySet().stream()
                        .collect(Collectors.toMap(secret -> name(secret.getKey()), Map.Entry::getValue)),
                new LateCertificates(
                        pair(options, "late-certificate").entrySet().stream()
                                .collect(Collectors.toMap(secret -> name(secret.getKey()), Map.Entry::getValue)),
                        Optional.ofNullable(options.get("overdue-certificates"))),
                Optional.ofNullable(options.get("vcl-fault")),
                Optional.ofNullable(options.get("conflict")).stream().toList(),
                Optional.ofNullable(options.get("pending")),
                Optional.ofNullable(options.get("obstacle")));
    }

    private static TableRefusal refusal(String text) {
        String[] words = text.split(" ", 6);
        return new TableRefusal(
                name(words[0]),
                Optional.of(words[1]).filter(host -> !host.equals("-")),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Effect.of(words[4]),
                words[5]);
    }

    private static Name name(String text) {
        String[] parts = text.split("/", -1);
        return new Name(parts[0], parts[1]);
    }

    private static Map<String, String> pair(Map<String, String> options, String key) {
        return Optional.ofNullable(options.get(key))
                .map(value -> value.split(" ", 2))
                .map(words -> Map.of(words[0], words[1]))
                .orElse(Map.of());
    }

    private static Map<String, String> options(GoldenCase input) throws IOException {
        var options = new HashMap<String, String>();
        input.options()
                .orElse("")
                .lines()
                .map(line -> line.split(": ", 2))
                .forEach(pair -> options.put(pair[0], pair[1]));
        return options;
    }
}
