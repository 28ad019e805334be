package dev.shellac.varnishconfig;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.Service;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.route.HttpRoute;
import java.util.List;
import java.util.Random;

/** One Gateway and few names, so that random edits meet each other. */
final class RandomShop {
    private static final List<Class<? extends Resource>> KINDS =
            List.of(HttpRoute.class, HttpRoute.class, EndpointSlice.class, Service.class, CachePolicy.class);

    private final Random random;

    RandomShop(long seed) {
        this.random = new Random(seed);
    }

    Snapshot start() {
        Snapshot snapshot =
                Snapshot.of(decode("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: varnish}
                spec: {controllerName: varnish-software.com/gateway}
                """ + gateway() + service("a") + service("b") + slice("a", 1) + slice("a", 2)));
        for (int i = 0; i < 12; i++) {
            snapshot = edit(snapshot);
        }
        return with(snapshot, slice("a", 1) + route());
    }

    /** One object more, changed or gone. */
    Snapshot edit(Snapshot snapshot) {
        if (random.nextInt(15) == 0) {
            return with(snapshot, gateway());
        }
        Class<? extends Resource> kind = KINDS.get(random.nextInt(KINDS.size()));
        List<? extends Resource> existing = List.copyOf(snapshot.all(kind));
        if (random.nextInt(5) == 0 && !existing.isEmpty()) {
            return snapshot.without(
                    kind, existing.get(random.nextInt(existing.size())).meta().name());
        }
        return with(
                snapshot,
                switch (kind.getSimpleName()) {
                    case "EndpointSlice" -> slice(pick("a", "b"), 1 + random.nextInt(3));
                    case "Service" -> service(pick("a", "b"));
                    case "CachePolicy" -> policy();
                    default -> route();
                });
    }

    private static Snapshot with(Snapshot snapshot, String yaml) {
        Snapshot next = snapshot;
        for (Resource resource : decode(yaml)) {
            next = next.with(resource);
        }
        return next;
    }

    private String gateway() {
        return object("gateway.networking.k8s.io/v1", "Gateway", "edge")
                + "spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}"
                + pick(
                        "",
                        ", {name: alt, port: 8080, protocol: HTTP}",
                        ", {name: sub, port: 80, protocol: HTTP, hostname: '*.example.com'}")
                + "]}\n";
    }

    private String service(String name) {
        return object("v1", "Service", name) + "spec: {ports: [{name: http, port: 80, targetPort: "
                + pick("8080", "web") + "}]}\n";
    }

    private String slice(String service, int number) {
        return "---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: " + service + "-" + number
                + ", namespace: shop, labels: {kubernetes.io/service-name: " + pick(service, service, "b")
                + "}}\naddressType: IPv4\nendpoints:\n- {addresses: [10.0.0."
                + random.nextInt(9) + "], conditions: {ready: "
                + pick("true", "true", "false", "false, serving: true, terminating: true")
                + "}}\n- {addresses: [10.0.1."
                + random.nextInt(9) + "]}\nports: [{name: http, port: " + pick("8080", "8081") + "}]\n";
    }

    private String policy() {
        return object("gateway.varnish-software.com/v1alpha1", "VarnishCachePolicy", pick("p", "q"))
                + "spec: {targetRef: {group: gateway.networking.k8s.io, kind: "
                + pick("Gateway, name: edge", "HTTPRoute, name: r1", "HTTPRoute, name: r2") + "}, defaultTTL: "
                + pick("1m", "2m") + "}\n";
    }

    private String route() {
        return object("gateway.networking.k8s.io/v1", "HTTPRoute", pick("r1", "r2", "r3", "r4", "r5"))
                + "spec: {parentRefs: [{name: edge" + pick("", ", sectionName: alt", ", port: 80") + "}], hostnames: ["
                + pick("", "a.example.com", "'*.example.com'", "a.example.com, b.example.org")
                + "], rules: [{matches: [{path: {type: "
                + pick(
                        "Exact, value: /a",
                        "PathPrefix, value: /a",
                        "PathPrefix, value: /",
                        "RegularExpression, value: '/a.*'")
                + "}}, {method: " + pick("GET", "PUT") + "}], backendRefs: [" + backend() + ", " + backend()
                + "]}, {filters: ["
                + pick(
                        "",
                        "{type: ExtensionRef, extensionRef: {group: x, kind: Thing, name: z}}",
                        "{type: RequestRedirect, requestRedirect: {scheme: https}}",
                        "{type: RequestMirror, requestMirror: {backendRef: {name: b, port: 80}}}")
                + "]}]}\n";
    }

    private String backend() {
        return "{name: " + pick("a", "b", "nobody") + ", port: 80, weight: " + random.nextInt(3) + "}";
    }

    private String object(String version, String kind, String name) {
        return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: shop"
                + created() + "}\n";
    }

    // Age alone decides the order of routes that match alike.
    private String created() {
        return pick("", ", creationTimestamp: '2026-01-01T00:00:00Z'", ", creationTimestamp: '2026-01-02T00:00:00Z'");
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private static List<? extends Resource> decode(String yaml) {
        Decoded decoded = Decoder.decode(List.of(Source.of("random.yaml", yaml)));
        if (!decoded.findings().isEmpty()) {
            throw new AssertionError(decoded.findings() + "\n" + yaml);
        }
        return decoded.objects().stream().map(Decoded.Located::resource).toList();
    }
}
