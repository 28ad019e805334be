package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.testkit.golden.GoldenCase;
import dev.shellac.testkit.golden.GoldenOutput;
import dev.shellac.testkit.golden.GoldenSuite;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.vcl.MainVcl;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** YAML to the files of a pod. Each case holds those that it is about; every ghost.json fits the schema. */
final class ConfigGoldenTest {
    @TestFactory
    Stream<DynamicNode> cases() {
        return GoldenSuite.at(Path.of("src/test/resources/golden"), ConfigGoldenTest::encode)
                .withDistinctOutputs()
                .tests();
    }

    private static List<GoldenOutput> encode(GoldenCase input) throws IOException {
        Inputs inputs = Inputs.of(input.texts());
        return List.of(
                GoldenOutput.onRequest("ghost.json", () -> ghost(inputs)),
                GoldenOutput.onRequest("routing.json", () -> new RoutingJson().encode(inputs.plan(), inputs.sockets())),
                GoldenOutput.onRequest("main.vcl", () -> vcl(inputs)));
    }

    private static String ghost(Inputs inputs) {
        String table = new String(
                new GhostJson()
                        .encode(inputs.plan(), inputs.slices(), inputs.sockets())
                        .bytes(),
                UTF_8);
        GhostSchema.check(table);
        return table;
    }

    private static String vcl(Inputs inputs) {
        return switch (MainVcl.merge("/run/gateway/ghost.json", inputs.plan().userVcl())) {
            case MainVcl.Text text -> text.vcl();
            case MainVcl.Refused refused -> "refused, line " + refused.line() + ": " + refused.why() + "\n";
        };
    }
}
