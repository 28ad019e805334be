package dev.shellac.translate;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.Secret;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.Address;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** A small cluster with few names, so that random edits meet each other. Written as YAML: what it makes can exist. */
final class RandomCluster {
    private static final List<Class<? extends Resource>> KINDS = List.of(
            Gateway.class,
            ListenerSet.class,
            HttpRoute.class,
            Service.class,
            ReferenceGrant.class,
            CachePolicy.class,
            BackendTlsPolicy.class,
            Namespace.class,
            EndpointSlice.class,
            SecretObject.class,
            ConfigMap.class,
            GatewayClass.class,
            GatewayClassParameters.class);
    private static final String GATEWAY_API = "gateway.networking.k8s.io/v1";

    private final Random random;

    RandomCluster(long seed) {
        this.random = new Random(seed);
    }

    Snapshot start() {
        Snapshot snapshot = Snapshot.of(decode("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: varnish}
                spec: {controllerName: varnish-software.com/gateway}
                """));
        for (int i = 0; i < 6; i++) {
            for (Resource resource : decode(yaml(Gateway.class) + "---\n" + yaml(Service.class))) {
                snapshot = snapshot.with(resource);
            }
        }
        for (int i = 0; i < 12; i++) {
            snapshot = edit(snapshot);
        }
        return snapshot;
    }

    /** One object more, changed or gone, or another report. */
    Snapshot edit(Snapshot snapshot) {
        if (random.nextInt(12) == 0) {
            return snapshot.reported(Map.of(new Name(namespace(), pick("gw", "gx")), report()));
        }
        // Routes are what changes most.
        Class<? extends Resource> kind =
                random.nextInt(3) == 0 ? KINDS.get(random.nextInt(KINDS.size())) : HttpRoute.class;
        List<? extends Resource> existing = List.copyOf(snapshot.all(kind));
        if (random.nextInt(4) == 0 && !existing.isEmpty()) {
            return snapshot.without(
                    kind, existing.get(random.nextInt(existing.size())).meta().name());
        }
        Snapshot next = snapshot;
        for (Resource resource : made(kind)) {
            next = next.with(resource);
        }
        return next;
    }

    private DataPlane report() {
        List<DataPlane.TableRefusal> refusals = random.nextBoolean()
                ? List.of()
                : List.of(new DataPlane.TableRefusal(
                        new Name(namespace(), pick("r1", "r2")),
                        Optional.of("*"),
                        0,
                        0,
                        DataPlane.Effect.of(pick("route-omitted", "uncached", "deferred")),
                        "too large"));
        return new DataPlane(
                List.of(new Address("IPAddress", "192.0.2.1")), Map.of(), Map.of(), refusals, Optional.empty());
    }

    private List<? extends Resource> made(Class<? extends Resource> kind) {
        if (kind == SecretObject.class) {
            return List.of(new SecretObject(
                    Metadata.named(namespace(), "cert"),
                    "kubernetes.io/tls",
                    Map.of(
                            "tls.crt", Secret.of(pem("CERTIFICATE").getBytes(US_ASCII)),
                            "tls.key",
                                    Secret.of(
                                            pem(pick("PRIVATE KEY", "NOTHING")).getBytes(US_ASCII)))));
        }
        if (kind == ConfigMap.class) {
            return List.of(new ConfigMap(
                    Metadata.named(namespace(), "more"),
                    Map.of("ca.crt", pem(pick("CERTIFICATE", "NOTHING")), pick("vcl", "lcv"), pick("a", "b"))));
        }
        return decode(yaml(kind));
    }

    private static String pem(String label) {
        return switch (label) {
            case "CERTIFICATE" -> TestPem.CERTIFICATE;
            case "PRIVATE KEY" -> TestPem.KEY;
            default -> "";
        };
    }

    private String yaml(Class<? extends Resource> kind) {
        return switch (kind.getSimpleName()) {
            case "Gateway" ->
                object(
                        "Gateway",
                        pick("gw", "gx"),
                        "{gatewayClassName: " + pick("varnish", "varnish", "other")
                                + pick("", "", ", defaultScope: All")
                                + ", allowedListeners: {namespaces: {from: " + pick("All", "Same", "None")
                                + "}}, listeners: ["
                                + listener("a") + ", " + listener("b") + "]}");
            case "ListenerSet" ->
                object(
                        "ListenerSet",
                        pick("ls", "lt"),
                        "{parentRef: {name: " + pick("gw", "gx") + ", namespace: " + namespace() + "}, listeners: ["
                                + listener("a") + "]}");
            case "Service" -> serviceObject();
            case "EndpointSlice" ->
                "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: " + meta(service() + "-1")
                        + "\naddressType: IPv4\nendpoints: [{addresses: [10.0.0." + random.nextInt(9) + "]}]\n";
            case "GatewayClass" ->
                "apiVersion: " + GATEWAY_API + "\nkind: GatewayClass\nmetadata: {name: varnish, generation: "
                        + random.nextInt(3) + "}\nspec: {controllerName: "
                        + (random.nextInt(6) == 0 ? "example.com/other" : "varnish-software.com/gateway")
                        + pick(
                                "",
                                ", parametersRef: {group: gateway.varnish-software.com, kind: GatewayClassParameters, name: p}")
                        + "}\n";
            case "GatewayClassParameters" ->
                "apiVersion: gateway.varnish-software.com/v1alpha1\nkind: GatewayClassParameters\nmetadata: {name: p}\n"
                        + "spec: {userVCLConfigMapRef: {name: more, namespace: " + namespace() + ", key: vcl}}\n";
            case "ReferenceGrant" ->
                object(
                        "ReferenceGrant",
                        "g",
                        "{from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: " + namespace()
                                + "}], to: [{group: '', kind: Service}]}");
            case "CachePolicy" ->
                "apiVersion: gateway.varnish-software.com/v1alpha1\nkind: VarnishCachePolicy\nmetadata: "
                        + meta(pick("p", "q"))
                        + "\nspec: {targetRef: {group: gateway.networking.k8s.io, kind: "
                        + pick("Gateway, name: gw", "HTTPRoute, name: r1", "HTTPRoute, name: r2, sectionName: rule")
                        + "}, defaultTTL: " + pick("1m", "2m", "0") + "}\n";
            case "BackendTlsPolicy" ->
                object(
                        "BackendTLSPolicy",
                        pick("t", "u"),
                        "{targetRefs: [{group: '', kind: Service, name: " + service()
                                + pick("", ", sectionName: http") + "}], validation: {hostname: a.example.com, "
                                + pick(
                                        "wellKnownCACertificates: System",
                                        "wellKnownCACertificates: example.com/other",
                                        "caCertificateRefs: [{group: '', kind: ConfigMap, name: more}]")
                                + "}}");
            case "Namespace" ->
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + namespace() + ", labels: {team: "
                        + pick("a", "b") + "}}\n";
            default -> route();
        };
    }

    private String serviceObject() {
        return "apiVersion: v1\nkind: Service\nmetadata: {name: " + service() + ", namespace: " + namespace()
                + "}\nspec: {type: " + pick("ClusterIP", "ClusterIP", "ExternalName")
                + ", ports: [{name: http, port: 80, targetPort: " + pick("8080", "web") + ", appProtocol: "
                + pick("http", "http", "kubernetes.io/h2c") + "}]}\n";
    }

    private String route() {
        return object(
                "HTTPRoute",
                pick("r1", "r2", "r3", "r4", "r5", "r6"),
                "{" + pick("", "", "useDefaultGateways: All, ") + "parentRefs: [{name: "
                        + pick("gw", "gx", "ls, kind: ListenerSet") + ", namespace: " + namespace()
                        + pick("", "", ", sectionName: a", ", port: 80") + "}], hostnames: [" + host()
                        + "], rules: [{name: rule, "
                        + "matches: [{path: {type: "
                        + pick(
                                "Exact, value: /a",
                                "PathPrefix, value: /a",
                                "PathPrefix, value: /",
                                "RegularExpression, value: '/a.*'",
                                "RegularExpression, value: '('",
                                "RegularExpression, value: '('")
                        + "}}, {method: GET}], "
                        + "backendRefs: [" + backend() + ", " + backend() + "]}, {filters: ["
                        + pick(
                                "",
                                "{type: ExtensionRef, extensionRef: {group: x, kind: Thing, name: z}}",
                                "{type: RequestMirror, requestMirror: {backendRef: {name: s, port: 80}}}")
                        + "]}]}");
    }

    private String backend() {
        return "{name: " + service() + ", namespace: " + namespace() + ", port: " + pick("80", "80", "81")
                + ", weight: " + random.nextInt(3) + "}";
    }

    private String listener(String name) {
        return "{name: " + name + ", port: "
                + (name.equals("a") ? pick("80", "80", "81") : pick("81", "81", "80")) + ", protocol: "
                + pick("HTTP", "HTTP", "HTTP", "HTTP", "TCP", "HTTPS, tls: {certificateRefs: [{name: cert}]}")
                + pick(", hostname: '*.example.com'", ", hostname: a.example.com")
                + ", allowedRoutes: {namespaces: {from: "
                + pick("All", "All", "Same", "Selector, selector: {matchLabels: {team: a}}") + "}}}";
    }

    private String object(String kind, String name, String spec) {
        return "apiVersion: " + GATEWAY_API + "\nkind: " + kind + "\nmetadata: " + meta(name) + "\nspec: " + spec
                + "\n";
    }

    private String meta(String name) {
        return "{name: " + name + ", namespace: " + namespace() + ", generation: " + random.nextInt(3)
                + (random.nextInt(12) == 0 ? ", deletionTimestamp: '2026-02-01T00:00:00Z'" : "")
                + pick("", ", creationTimestamp: '2026-01-01T00:00:00Z'", ", creationTimestamp: '2026-01-02T00:00:00Z'")
                + "}";
    }

    private String namespace() {
        return pick("one", "two");
    }

    private String service() {
        return pick("s", "t");
    }

    private String host() {
        return pick("a.example.com", "'*.example.com'", "a.example.com, b.example.com", "c.example.org", "");
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    // A random Gateway may break a rule of the CRD; then nothing changes, as in a cluster.
    private static List<? extends Resource> decode(String yaml) {
        Decoded decoded = Decoder.decode(List.of(Source.of("random.yaml", yaml)));
        return decoded.objects().stream().map(Decoded.Located::resource).toList();
    }
}
