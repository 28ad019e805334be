package dev.shellac.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.api.ApiServer;
import dev.shellac.testkit.kube.FakeApiServer;
import dev.shellac.translate.Settings;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What a person asks the program for, besides to run. */
final class UninstallCheckTest {
    private static final String GROUP = Stage.GROUP;

    private static List<String> left(FakeApiServer server) throws Exception {
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl(server.url())
                        .build())
                .build()) {
            return UninstallCheck.gateways(ApiServer.of(client), Settings.CONTROLLER_NAME);
        }
    }

    private static void gateway(FakeApiServer server, String name, String className) {
        server.put(
                GROUP + "/namespaces/shop/gateways/" + name,
                "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"shop\"},\"spec\":{\"gatewayClassName\":\""
                        + className + "\"}}");
    }

    private static void gatewayClass(FakeApiServer server, String name, String controller) {
        server.put(
                GROUP + "/gatewayclasses/" + name,
                "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{\"controllerName\":\"" + controller + "\"}}");
    }

    @Test
    void theGatewaysOfOurClassesAreNamed() throws Exception {
        try (FakeApiServer server = FakeApiServer.start()) {
            gatewayClass(server, "varnish", "varnish-software.com/gateway");
            gatewayClass(server, "other", "example.com/other");
            gateway(server, "theirs", "other");
            gateway(server, "lost", "nowhere");
            assertThat(left(server)).isEmpty();
            gateway(server, "web", "varnish");
            gateway(server, "edge", "varnish");
            assertThat(left(server))
                    .containsExactly("Gateway shop/edge of class varnish", "Gateway shop/web of class varnish");
        }
    }

    @Test
    void helpNamesEverySetting() {
        var out = new StringWriter();
        int code = new CommandLine(new Main()).setOut(new PrintWriter(out)).execute("--help");
        assertThat(code).isZero();
        assertThat(out.toString())
                .contains("Usage: shellac-operator")
                .contains(
                        "--metrics-addr",
                        "--health-probe-addr",
                        "--leader-elect",
                        "--gateway-image",
                        "--network-policy",
                        "--metrics-namespaces",
                        "--log-level",
                        "--check-uninstall");
    }
}
