package dev.shellac.varnishconfig.table;

import dev.shellac.model.IpLiteral;
import dev.shellac.model.Port;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.EndpointSlice.Endpoint;
import dev.shellac.model.core.EndpointSlice.EndpointPort;
import dev.shellac.model.core.EndpointSlice.Readiness;
import dev.shellac.model.core.TargetPort;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The endpoints behind a port of a Service.
 *
 * @param backend the port, and the TLS that is wanted there
 * @param slices all of the Service, in any order
 */
record Pool(Backend.Serving backend, List<EndpointSlice> slices) {
    /** Of more, ghost would take none. */
    static final int MOST_ENDPOINTS = 4096;

    private record Target(String address, Port port) implements Comparable<Target> {
        @Override
        public int compareTo(Target other) {
            int byAddress = address.compareTo(other.address);
            return byAddress == 0 ? port.compareTo(other.port) : byAddress;
        }
    }

    Pool {
        slices = List.copyOf(slices);
    }

    JsonWriter json() {
        JsonWriter json = JsonWriter.compact().open('{').name("backends").open('[');
        // As kube-proxy has it: where nobody is ready, those that are about to end are better than nobody.
        List<Target> ready = targets(Readiness.READY);
        (ready.isEmpty() ? targets(Readiness.DRAINING) : ready)
                .stream()
                        .distinct()
                        .sorted()
                        .limit(MOST_ENDPOINTS)
                        .forEach(target -> json.open('{')
                                .field("address", target.address())
                                .field("port", target.port().value())
                                .close('}'));
        json.close(']');
        backend.tls()
                .ifPresent(tls -> json.name("backend_tls")
                        .open('{')
                        .field("hostname", tls.hostname().value())
                        .close('}'));
        return json.close('}');
    }

    private List<Target> targets(Readiness readiness) {
        return slices.stream().flatMap(slice -> targets(slice, readiness)).toList();
    }

    private Stream<Target> targets(EndpointSlice slice, Readiness readiness) {
        List<Port> ports = slice.ports().stream().flatMap(this::number).toList();
        return slice.endpoints().stream()
                .filter(endpoint -> endpoint.readiness() == readiness)
                .flatMap(endpoint -> address(slice, endpoint).stream())
                .flatMap(address -> ports.stream().map(port -> new Target(address, port)));
    }

    // EndpointSlice v1: a port bears the name of the Service's port. Its number is that of the pods of this slice,
    // which for a named target port differs from slice to slice.
    private Stream<Port> number(EndpointPort port) {
        boolean wanted = port.name().equals(backend.portName().orElse(""))
                && port.protocol().equals("TCP");
        if (!wanted) {
            return Stream.empty();
        }
        return port.port().or(this::targetNumber).stream();
    }

    // A slice that leaves the number out means all ports: then the Service's own word counts.
    private Optional<Port> targetNumber() {
        return switch (backend.target()) {
            case TargetPort.Numbered numbered -> Optional.of(numbered.port());
            case TargetPort.Named named -> Optional.empty();
        };
    }

    // EndpointSlice v1: the addresses of an endpoint are all the same to it, and a client may use the first alone. An
    // address that is none is left out, because ghost would leave out the whole pool.
    private static Optional<String> address(EndpointSlice slice, Endpoint endpoint) {
        Optional<String> first = endpoint.addresses().stream().findFirst();
        return switch (slice.addressType()) {
            case "IPv4" -> first.filter(IpLiteral::isV4);
            case "IPv6" -> first.filter(IpLiteral::isV6);
            default -> Optional.empty();
        };
    }
}
