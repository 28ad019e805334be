package dev.shellac.decode;

import dev.shellac.model.Resource;
import java.util.List;
import java.util.Map;

/** Objects for tests, with one part to vary. */
final class Yaml {
    private Yaml() {}

    static Decoded decode(String text) {
        return Decoder.decode(List.of(Source.of("test.yaml", text)));
    }

    static <T extends Resource> T only(Class<T> kind, String text) {
        Decoded decoded = decode(text);
        if (!decoded.findings().isEmpty() || decoded.objects().size() != 1) {
            throw new AssertionError("not one clean object: " + decoded);
        }
        return kind.cast(decoded.objects().getFirst().resource());
    }

    static List<String> messages(String text) {
        return decode(text).findings().stream().map(Finding::toString).toList();
    }

    /** An HTTPRoute whose spec is this flow mapping. */
    static String route(String spec) {
        return object("gateway.networking.k8s.io/v1", "HTTPRoute", spec);
    }

    static String gateway(String listeners) {
        return object(
                "gateway.networking.k8s.io/v1",
                "Gateway",
                "{gatewayClassName: varnish, listeners: [" + listeners + "]}");
    }

    static String object(String apiVersion, String kind, String spec) {
        return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: x, namespace: ns}\nspec: " + spec
                + "\n";
    }

    static Map<String, String> kinds() {
        return Map.of(
                "HTTPRoute", "gateway.networking.k8s.io/v1",
                "Gateway", "gateway.networking.k8s.io/v1",
                "GatewayClass", "gateway.networking.k8s.io/v1",
                "ListenerSet", "gateway.networking.k8s.io/v1",
                "ReferenceGrant", "gateway.networking.k8s.io/v1",
                "BackendTLSPolicy", "gateway.networking.k8s.io/v1",
                "GatewayClassParameters", "gateway.varnish-software.com/v1alpha1",
                "VarnishCachePolicy", "gateway.varnish-software.com/v1alpha1",
                "VarnishCacheInvalidation", "gateway.varnish-software.com/v1alpha1",
                "Service", "v1");
    }
}
