package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Network;
import dev.shellac.model.Port;
import dev.shellac.model.Secret;
import dev.shellac.model.Snapshot;
import dev.shellac.model.policy.ConnectionLimits;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.testkit.net.FreePort;
import dev.shellac.testkit.tls.TestCertificates;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.varnishconfig.edge.CertificateBundle;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Peers;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.SocketMap;
import dev.shellac.varnishconfig.vcl.MainVcl;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A Gateway with listeners of TLS, from YAML to the ConfigMap and the Secret of a pod, as the operator does it: {@code a.example.com} and
 * {@code *.example.org} on port 443, all hosts on 8443.
 */
final class TlsGateway {
    private static final String YAML = """
            {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: varnish},
             spec: {controllerName: varnish-software.com/gateway}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: gw, namespace: shop}
            spec:
              gatewayClassName: varnish
              listeners:
                - {name: web, port: 80, protocol: HTTP}
                - {name: a, port: 443, protocol: HTTPS, hostname: a.example.com, tls: {certificateRefs: [{name: a}]}}
                - {name: wild, port: 443, protocol: HTTPS, hostname: "*.example.org", tls: {certificateRefs: [{name: wild}]}}
                - {name: any, port: 8443, protocol: HTTPS, tls: {certificateRefs: [{name: any}]}}
            ---
            {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: echo, namespace: shop},
             spec: {parentRefs: [{name: gw}], rules: [{backendRefs: [{name: echo, port: 80}]}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: echo, namespace: shop}, spec: {ports: [{port: 80, targetPort: 8080}]}}
            """;

    private static final Map<String, TestCertificates.Pair> FIRST = new TreeMap<>();

    private final Pod pod;
    private final StoredCertificates written;
    private final Map<String, TestCertificates.Pair> pairs = new TreeMap<>();
    private final Map<String, String> damaged = new TreeMap<>();
    private final List<Source> clients = new ArrayList<>();
    private String many = "";
    private String listeners = YAML;
    private String yaml = YAML;
    private HaproxyConfig.Options options = HaproxyConfig.Options.USUAL;
    private Clients peers = Clients.USUAL;
    private final int https;
    private final int alt;
    private Optional<SortedMap<String, Secret>> secrets = Optional.empty();
    private String config = "";
    private String users = "";

    TlsGateway(Pod pod) throws IOException, InterruptedException {
        this.pod = pod;
        this.written = new StoredCertificates(pod.api);
        this.https = FreePort.find();
        this.alt = FreePort.find();
        pairs.putAll(first(pod.folder()));
        // Who asked what, as the backend sees it.
        int port = pod.backend(headers -> "%s %s %s %s %s"
                .formatted(
                        headers.getFirst("X-Gateway-Listener"),
                        headers.getFirst("X-Forwarded-For"),
                        headers.getFirst("X-Forwarded-Proto"),
                        headers.getFirst("X-Forwarded-Host"),
                        headers.getFirst("X-Forwarded-Port")));
        pod.slice("echo", port);
    }

    // Made once: each takes as long as a test.
    private static synchronized Map<String, TestCertificates.Pair> first(Path folder)
            throws IOException, InterruptedException {
        if (FIRST.isEmpty()) {
            FIRST.put("a", TestCertificates.of(folder, "a", "a.example.com"));
            FIRST.put("wild", TestCertificates.of(folder, "wild", "*.example.org"));
            FIRST.put("any", TestCertificates.of(folder, "any", "localhost"));
        }
        return FIRST;
    }

    /** The pod's port of listener port 443. */
    int https() {
        return https;
    }

    /** The pod's port of listener port 8443. */
    int alt() {
        return alt;
    }

    void choose(HaproxyConfig.Options other) {
        options = other;
    }

    /** Believes what proxies of these networks say of clients. */
    void trust(String... networks) {
        peers = new Clients(Use.ON, parsed(networks), Use.ON, List.of(), Use.ON, ConnectionLimits.USUAL);
    }

    /** Takes PROXY headers from these networks alone. */
    void believe(String... networks) {
        choose(HaproxyConfig.Options.USUAL.with(Peers.PROXY_PROTOCOL).with(parsed(networks)));
        peers = new Clients(Use.ON, List.of(), Use.ON, parsed(networks), Use.ON, ConnectionLimits.USUAL);
    }

    private static List<Network> parsed(String... networks) {
        return Arrays.stream(networks)
                .map(text -> Network.parse(text).orElseThrow())
                .toList();
    }

    void rotate(String name, TestCertificates.Pair pair) {
        pairs.put(name, pair);
        secret();
    }

    /** Asks the clients of port 443 for certificates of this authority; on 8443 nobody is asked. */
    void askClients(TestCertificates.Pair authority, String mode) {
        askClients(mode, "{}");
        clients.add(authority("clients", authority));
    }

    /** Asks the clients of port 443 for certificates of one authority, those of 8443 for certificates of another. */
    void askClients(TestCertificates.Pair authority, TestCertificates.Pair ofOther) {
        askClients(
                "AllowValidOnly", "{validation: {caCertificateRefs: [{group: \"\", kind: ConfigMap, name: others}]}}");
        clients.add(authority("clients", authority));
        clients.add(authority("others", ofOther));
    }

    /** Serves {@code a.example.com} on both ports, with the same certificate. */
    void serveOneHost() {
        listeners = YAML.replace(
                "tls: {certificateRefs: [{name: any}]}",
                "hostname: a.example.com, tls: {certificateRefs: [{name: a}]}");
        yaml = listeners;
    }

    private void askClients(String mode, String other) {
        yaml = listeners.replace("  gatewayClassName: varnish\n", """
              gatewayClassName: varnish
              tls:
                frontend:
                  default:
                    validation: {mode: %s, caCertificateRefs: [{group: "", kind: ConfigMap, name: clients}]}
                  perPort:
                    - {port: 8443, tls: %s}
            """.formatted(mode, other));
        clients.clear();
    }

    private static Source authority(String name, TestCertificates.Pair authority) {
        return Source.of(name + ".yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: %s, namespace: shop}
                data:
                  ca.crt: |
                    %s
                """.formatted(
                        name, authority.certificate().strip().replace("\n", "\n    ")));
    }

    /** Gives the pod something that the operator would not let through. */
    void damage(String name, String pem) {
        damaged.put("shop." + name + ".pem", pem);
        secret();
    }

    /** So many more certificates on port 443, of {@code c0.example.com} and so on. */
    void many(int count) throws IOException, InterruptedException {
        TestCertificates.Pair pair = Objects.requireNonNull(first(pod.folder()).get("a"));
        var lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            damaged.put("shop.c" + i + ".pem", pair.certificate() + pair.key());
            lines.append("shop.c%d.pem c%d.example.com\n".formatted(i, i));
        }
        many = lines.toString();
    }

    void heal() {
        damaged.clear();
        secret();
    }

    void apply() {
        apply("");
    }

    /** With more in haproxy.cfg than the operator writes. */
    void apply(String more) {
        config = haproxy() + more;
        secret();
        configMap(config);
    }

    /** The Secrets alone, with the configuration that is to come. */
    void announce() {
        config = haproxy();
        secret();
    }

    String haproxy() {
        return HaproxyConfig.encode(
                        plan(),
                        Map.of(
                                new Port(443), https - HaproxyConfig.FIRST_PORT,
                                new Port(8443), alt - HaproxyConfig.FIRST_PORT),
                        options)
                .orElseThrow();
    }

    void secret() {
        var files = new HashMap<String, Secret>(
                CertificateBundle.of(plan(), snapshot()).files());
        damaged.forEach((name, pem) -> files.put(name, Secret.of(pem.getBytes(UTF_8))));
        if (!many.isEmpty()) {
            String list = files.getOrDefault("port-443.list", Secret.of(new byte[0]))
                    .reveal(bytes -> new String(bytes, UTF_8));
            files.put("port-443.list", Secret.of((list + many).getBytes(UTF_8)));
        }
        secrets = Optional.of(new TreeMap<>(files));
        written.put(new TreeMap<>(files), config, vcl(users));
    }

    /** An empty text is none. The Secrets that are there say that it is the right one. */
    void configMap(String haproxy) {
        config = haproxy;
        tamper(haproxy);
        if (haproxy.isEmpty()) {
            written.delete();
        } else {
            secrets.ifPresent(files -> written.put(files, haproxy, vcl(users)));
        }
    }

    /** The user's part of the VCL from now on; nothing is written. */
    void userVcl(String text) {
        users = text;
    }

    /** The text of main.vcl with this part of a user's. */
    String vcl(String user) {
        if (!(MainVcl.merge(pod.folder().resolve("ghost.json").toString(), peers, Optional.empty())
                instanceof MainVcl.Text main)) {
            throw new AssertionError("our own VCL has an end");
        }
        return main.vcl() + user;
    }

    /** The ConfigMap alone, as somebody else might write it. */
    void tamper(String haproxy) {
        tamper(haproxy, users);
    }

    /** The same with another user's part of the VCL. */
    void tamper(String haproxy, String user) {
        var sockets =
                SocketMap.of(Map.of("http-80", Set.of(new Port(80)), "edge", Set.of(new Port(443), new Port(8443))));
        pod.configMap(Map.of(
                "main.vcl",
                vcl(user),
                "routing.json",
                new RoutingJson().encode(plan(), sockets),
                "haproxy.cfg",
                haproxy));
    }

    private Snapshot snapshot() {
        var sources = new ArrayList<Source>(List.of(Source.of("gateway.yaml", yaml)));
        sources.addAll(clients);
        pairs.forEach((name, pair) -> sources.add(Source.of(name + ".yaml", """
                apiVersion: v1
                kind: Secret
                metadata: {name: %s, namespace: shop}
                type: kubernetes.io/tls
                stringData:
                  tls.crt: |
                    %s
                  tls.key: |
                    %s
                """.formatted(
                        name,
                        pair.certificate().strip().replace("\n", "\n    "),
                        pair.key().strip().replace("\n", "\n    ")))));
        return Decoder.decode(sources).snapshot();
    }

    private GatewayPlan plan() {
        return new Translator(Settings.alone())
                .translate(snapshot())
                .plans()
                .values()
                .iterator()
                .next();
    }
}
