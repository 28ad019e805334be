package dev.shellac.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What GatewayClassParameters accept of clients, on this host as in a pod. */
final class RunClientsTest extends RunFixture {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a.example.com\r\n";
    private static final String PROXY = "PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n";
    private static final String TELLS_THE_CLIENT =
            "sub vcl_backend_response { set beresp.http.X-Mark = bereq.http.X-Forwarded-For; }";

    RunClientsTest() throws IOException {}

    private void parameters(String vcl, String clients) throws IOException {
        vcl(vcl);
        String text = Files.readString(folder.resolve("class.yaml"));
        file("class.yaml", text.replace("{userVCLConfigMapRef", "{" + clients + ", userVCLConfigMapRef"));
    }

    private Optional<Integer> status(String head) {
        return RunningShellac.ask(port, head).map(RunningShellac.Answer::status);
    }

    private String client(String head) {
        return RunningShellac.ask(port, head)
                .map(answer -> answer.header("X-Mark"))
                .orElse("");
    }

    /** Also where the user's part is refused at the same time. */
    @Test
    void slashesAreMergedUnlessTheParametersSayOtherwise() throws Exception {
        file(
                "a.yaml",
                routeText("a", "a.example.com", "one")
                        .replace("  - backendRefs", "  - matches: [{path: {value: /only}}]\n    backendRefs"));
        try (RunningShellac shellac = start()) {
            shellac.awaitAnswer(port, "a.example.com", "//only", 200);
            List<ProcessHandle> before = shellac.varnishds();
            parameters(TELLS_THE_CLIENT, "mergeSlashes: false");
            shellac.awaitAnswer(port, "a.example.com", "//only", 404);
            shellac.awaitAnswer(port, "a.example.com", "/only", 200);
            parameters("sub nonsense", "mergeSlashes: true");
            shellac.awaitAnswer(port, "a.example.com", "//only", 200);
            shellac.awaitStatus("the VCL was refused: ConfigMap default/user, user.vcl");
            assertThat(shellac.varnishds()).isEqualTo(before);
        }
    }

    @Test
    void trustedProxiesNameTheClient() throws Exception {
        String named = GET + "X-Forwarded-For: 203.0.113.9\r\n";
        vcl(TELLS_THE_CLIENT);
        try (RunningShellac shellac = start()) {
            shellac.await("the client's own address", () -> client(named).equals("127.0.0.1"));
            parameters(TELLS_THE_CLIENT, "trustedProxies: [127.0.0.0/8]");
            shellac.await("the proxy's word", () -> client(named).equals("203.0.113.9, 127.0.0.1"));
        }
    }

    @Test
    void theProxyProtocolIsTakenFromNamedNetworks() throws Exception {
        parameters(TELLS_THE_CLIENT, "proxyProtocol: true, proxyProtocolFrom: [127.0.0.0/8]");
        try (RunningShellac shellac = start()) {
            shellac.await(
                    "the client of the PROXY header", () -> client(PROXY + GET).equals("203.0.113.7"));
            assertThat(status(GET)).isNotEqualTo(Optional.of(200));
            parameters(TELLS_THE_CLIENT, "proxyProtocol: true, proxyProtocolFrom: [192.0.2.0/24]");
            shellac.await("a refusal", () -> status(PROXY + GET).equals(Optional.of(403)));
            assertThat(shellac.log()).doesNotContain("starts anew");
            vcl(TELLS_THE_CLIENT);
            shellac.await("no PROXY protocol", () -> client(GET).equals("127.0.0.1"));
            assertThat(shellac.log()).contains("with PROXY protocol to ").contains("starts anew");
        }
    }
}
