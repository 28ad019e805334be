package dev.shellac.operator.children;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.varnishconfig.vcl.MainVcl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What parameters say about clients reaches the files of the pods. */
final class ConfigurationTest {
    private static final Path CERTIFICATES = Path.of("src/test/resources/golden/children/https/in/certificates.yaml");

    @Test
    void asItComes() throws IOException {
        Inputs inputs = inputs("{}");
        assertThat(edge(inputs)).contains("alpn h2,http/1.1", "maxconn 4000").doesNotContain("accept-proxy");
        assertThat(vcl(inputs)).doesNotContain("acl ");
    }

    @Test
    void withoutHttp2AndBehindAProxy() throws IOException {
        Inputs inputs = inputs("{http2: false, proxyProtocol: true, trustedProxies: [10.0.0.0/8]}");
        assertThat(edge(inputs)).contains("alpn http/1.1", "accept-proxy").doesNotContain("h2,");
        assertThat(vcl(inputs)).contains("acl ", "\"10.0.0.0\"/8");
        assertThat(inputs.blueprint().ports().listen("PROXY")).contains("pool-0=:10000,PROXY");
    }

    @Test
    void proxyProtocolOfNamedNetworksAlone() throws IOException {
        Inputs inputs = inputs("{proxyProtocol: true, proxyProtocolFrom: [10.0.0.0/8, 'fd00::/8']}");
        assertThat(edge(inputs)).contains("tcp-request connection reject unless { src 10.0.0.0/8 fd00::/8 }");
        assertThat(vcl(inputs)).contains("acl proxy_protocol_peers", "router.accept(proxies = proxy_protocol_peers);");
    }

    @Test
    void slashesAsTheyCome() throws IOException {
        assertThat(vcl(inputs("{mergeSlashes: false}"))).contains("router.accept(merge_slashes = false);");
    }

    @Test
    void connectionsFitTheMemoryLimit() throws IOException {
        assertThat(edge(inputs("{resources: {limits: {memory: 512Mi}}}")))
                .contains(
                        "maxconn 472\n",
                        "timeout http-keep-alive 11s\n",
                        "presetenv EDGE_MEMORY 33554432\n",
                        "sc1_conn_cur gt 236",
                        "tune.h2.max-concurrent-streams 14\n");
        assertThat(edge(inputs("{resources: {limits: {memory: 2Gi}}}")))
                .contains("maxconn 2362\n", "timeout http-keep-alive 59s\n");
        assertThat(edge(inputs("{}")))
                .contains("maxconn 4000\n", "timeout http-keep-alive 60s\n", "max-concurrent-streams 100\n");
    }

    @Test
    void connectionsMayBeChosen() throws IOException {
        assertThat(edge(inputs("{resources: {limits: {memory: 4Gi}}, connections: {max: 20000, threads: 4,"
                        + " handshakeSeconds: 5, requestHeadSeconds: 20, stallSeconds: 60, keepAliveSeconds: 10}}")))
                .contains(
                        "maxconn 20000\n",
                        "nbthread 4\n",
                        "timeout client-hs 5s\n",
                        "timeout http-request 20s\n",
                        "timeout client 60s\n",
                        "wait-for-body time 60s",
                        "timeout http-keep-alive 10s\n",
                        // 20,000 connections of 52 KiB, and 10 MiB for HAProxy itself.
                        "presetenv EDGE_MEMORY 1075445760\n");
    }

    @Test
    void aShareForEachClientWhereItsAddressIsKnown() throws IOException {
        String memory = "resources: {limits: {memory: 512Mi}}";
        assertThat(edge(inputs("{" + memory + "}"))).doesNotContain("table clients", "requests-by-client");
        assertThat(edge(inputs("{" + memory + ", proxyProtocol: true}"))).doesNotContain("table clients");
        assertThat(edge(inputs("{" + memory + ", service: {externalTrafficPolicy: Local}, proxyProtocol: true}")))
                .doesNotContain("table clients");
        assertThat(edge(inputs("{" + memory + ", service: {externalTrafficPolicy: Local}}")))
                .contains(
                        "tcp-request connection track-sc0 src,ipmask(32,64) table clients\n",
                        "tcp-request connection reject if { sc0_conn_cur gt 118 }\n",
                        "http-request track-sc4 src,ipmask(32,64) table requests-by-client\n",
                        "hdr Retry-After 1 if { sc_conn_cur(4) gt 59 }\n");
        assertThat(edge(inputs("{" + memory + ", service: {externalTrafficPolicy: Local},"
                        + " trustedProxies: [192.0.2.0/24], connections: {perClient: 7}}")))
                .contains(
                        "table clients unless { src 192.0.2.0/24 }\n",
                        "table requests-by-client unless { src 192.0.2.0/24 }\n",
                        "tcp-request connection reject if { sc0_conn_cur gt 7 }\n");
        assertThat(edge(inputs("{" + memory + ", proxyProtocol: true, proxyProtocolFrom: [10.0.0.0/8]}")))
                .contains("tcp-request session reject if { sc0_conn_cur gt 118 }\n");
    }

    private static String edge(Inputs inputs) {
        return Configuration.edge(
                        inputs.plan(), inputs.ports(), inputs.blueprint().pod().memoryLimit())
                .getOrDefault("haproxy.cfg", "none");
    }

    private static String vcl(Inputs inputs) {
        return ((MainVcl.Text) Configuration.vcl(inputs.plan(), inputs.plan().userVcl())).vcl();
    }

    private static Inputs inputs(String spec) throws IOException {
        return Inputs.of(
                "{name: web, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: shop}]}}",
                spec,
                Map.of("certificates.yaml", Files.readString(CERTIFICATES, UTF_8)));
    }
}
