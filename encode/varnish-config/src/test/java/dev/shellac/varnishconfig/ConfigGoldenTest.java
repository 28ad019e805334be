package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Network;
import dev.shellac.model.Secret;
import dev.shellac.model.policy.ConnectionLimits;
import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.testkit.golden.GoldenCase;
import dev.shellac.testkit.golden.GoldenOutput;
import dev.shellac.testkit.golden.GoldenSuite;
import dev.shellac.varnishconfig.edge.CertificateBundle;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Peers;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Protocols;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.vcl.MainVcl;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
                GoldenOutput.onRequest("main.vcl", () -> vcl(input, inputs)),
                GoldenOutput.onRequest("haproxy.cfg", () -> haproxy(input, inputs)),
                GoldenOutput.onRequest("port-443.list", () -> list(inputs, "port-443.list")),
                GoldenOutput.onRequest("port-8443.list", () -> list(inputs, "port-8443.list")));
    }

    private static String haproxy(GoldenCase input, Inputs inputs) throws IOException {
        String options = input.options().orElse("");
        HaproxyConfig.Options chosen = HaproxyConfig.Options.USUAL
                .with(options.contains("http2: false") ? Protocols.HTTP_1 : Protocols.HTTP_1_AND_2)
                .with(options.contains("proxyProtocol: true") ? Peers.PROXY_PROTOCOL : Peers.CLIENTS)
                .with(networks(options, "proxyProtocolFrom"));
        if (options.contains("perClient: ")) {
            chosen = new HaproxyConfig.Options(
                    chosen.protocols(),
                    chosen.peers(),
                    chosen.proxies(),
                    networks(options, "trustedProxies"),
                    new HaproxyConfig.Bounds(
                            472,
                            Optional.of(Integer.valueOf(options.replaceAll("(?s).*perClient: ([0-9]+).*", "$1"))),
                            2,
                            Timeouts.USUAL,
                            Optional.of(32L << 20)));
        }
        return HaproxyConfig.encode(inputs.plan(), inputs.slots(), chosen).orElse("");
    }

    private static List<Network> networks(String options, String field) {
        return options.lines()
                .filter(line -> line.startsWith(field + ":"))
                .flatMap(line -> Arrays.stream(line.split("\\s")))
                .flatMap(word -> Network.parse(word).stream())
                .toList();
    }

    private static String list(Inputs inputs, String name) {
        Secret list = Objects.requireNonNull(
                CertificateBundle.of(inputs.plan(), inputs.snapshot()).files().get(name));
        return list.reveal(bytes -> new String(bytes, UTF_8));
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

    private static String vcl(GoldenCase input, Inputs inputs) throws IOException {
        String options = input.options().orElse("");
        var clients = new Clients(
                Use.ON,
                networks(options, "trustedProxies"),
                Use.OFF,
                networks(options, "proxyProtocolFrom"),
                options.contains("mergeSlashes: false") ? Use.OFF : Use.ON,
                ConnectionLimits.USUAL);
        return switch (MainVcl.merge(
                "/run/gateway/ghost.json", clients, inputs.plan().userVcl())) {
            case MainVcl.Text text -> text.vcl();
            case MainVcl.Refused refused ->
                "refused, line " + refused.line() + ", column " + refused.column() + ": " + refused.why() + "\n";
        };
    }
}
