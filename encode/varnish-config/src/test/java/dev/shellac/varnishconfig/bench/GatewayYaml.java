package dev.shellac.varnishconfig.bench;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import java.util.List;

/** A Gateway of ours. */
final class GatewayYaml {
    private GatewayYaml() {}

    static List<Resource> objects() {
        return Decoder.decode(List.of(Source.of("gateway.yaml", """
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: GatewayClass
                        metadata: {name: varnish}
                        spec: {controllerName: varnish-software.com/gateway}
                        ---
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: Gateway
                        metadata: {name: edge, namespace: shop}
                        spec: {gatewayClassName: varnish, listeners: [{name: web, port: 80, protocol: HTTP}]}
                        """))).objects().stream()
                .<Resource>map(Decoded.Located::resource)
                .toList();
    }

    static Snapshot snapshot() {
        return Snapshot.of(objects());
    }
}
