package dev.shellac.chaperone.kube;

import dev.shellac.model.Metadata;
import dev.shellac.model.Port;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.EndpointSlice.Endpoint;
import dev.shellac.model.core.EndpointSlice.EndpointPort;
import dev.shellac.model.core.EndpointSlice.Readiness;

/**
 * From the API's EndpointSlice to ours. What the API server let in needs no second check; what is made of it is what the decoder of
 * everything else makes of it, and a test holds both together.
 */
final class SliceDecoder {
    private static final String SERVICE = "kubernetes.io/service-name";

    private SliceDecoder() {}

    static EndpointSlice decode(Node object) {
        Node meta = object.get("metadata");
        return new EndpointSlice(
                Metadata.named(meta.get("namespace").text(), meta.get("name").text()),
                meta.get("labels")
                        .get(SERVICE)
                        .json()
                        .map(label -> Node.of(label).text()),
                object.get("addressType").text(),
                object.get("endpoints").items().stream()
                        .map(SliceDecoder::endpoint)
                        .toList(),
                object.get("ports").items().stream().map(SliceDecoder::port).toList());
    }

    private static Endpoint endpoint(Node endpoint) {
        return new Endpoint(
                endpoint.get("addresses").items().stream().map(Node::text).toList(),
                readiness(endpoint.get("conditions")));
    }

    // EndpointConditions: ready is true where it is not given, serving is as ready, and terminating false. A Service
    // with
    // publishNotReadyAddresses has endpoints that are ready and terminate.
    private static Readiness readiness(Node conditions) {
        boolean ready = conditions.get("ready").flag().orElse(true);
        boolean serving = ready || conditions.get("serving").flag().orElse(false);
        boolean terminating = conditions.get("terminating").flag().orElse(false);
        Readiness rest = terminating && serving ? Readiness.DRAINING : Readiness.NOT_READY;
        return ready && !terminating ? Readiness.READY : rest;
    }

    private static EndpointPort port(Node port) {
        String protocol = port.get("protocol").text();
        return new EndpointPort(
                port.get("name").text(),
                port.get("port").number().map(Port::new),
                protocol.isEmpty() ? "TCP" : protocol);
    }
}
