package dev.shellac.operator.children;

import dev.shellac.model.Port;
import dev.shellac.model.gateway.AddressRequest;
import dev.shellac.model.policy.GatewayClassParameters.ServiceSettings;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The Services in front of the pods: one, and one more for each address that is asked for besides the first. */
final class Fronts {
    /** A Service needs a port, a Gateway need not have one; whoever asks there is told 404. */
    static final String NO_LISTENER = "no-listener";

    private static final String LOAD_BALANCER = "LoadBalancer";
    private static final List<Sockets.Mapped> DUMMY =
            List.of(new Sockets.Mapped(NO_LISTENER, new Port(80), new Port(10_000)));

    private Fronts() {}

    static List<Service> of(Blueprint blueprint) {
        List<Optional<String>> asked = blueprint.gateway().addresses().stream()
                .map(AddressRequest::value)
                .distinct()
                .toList();
        Names names = blueprint.names();
        var services = new ArrayList<Service>();
        services.add(service(blueprint, names.base(), asked.isEmpty() ? Optional.empty() : asked.getFirst()));
        asked.stream()
                .skip(1)
                .forEach(
                        address -> services.add(service(blueprint, names.addressService(address.orElse("")), address)));
        return services;
    }

    private static Service service(Blueprint blueprint, String name, Optional<String> address) {
        ServiceSettings settings = blueprint.service();
        String type = settings.serviceType().orElse(LOAD_BALANCER);
        List<Sockets.Mapped> mapped = blueprint.sockets().mapped();
        return new ServiceBuilder()
                .withMetadata(meta(blueprint, name))
                .withNewSpec()
                .withType(type)
                .withSelector(blueprint.imprint().selector())
                .withPorts((mapped.isEmpty() ? DUMMY : mapped)
                        .stream().map(Fronts::port).toList())
                .withLoadBalancerIP(
                        address.filter(value -> type.equals(LOAD_BALANCER)).orElse(null))
                .withLoadBalancerClass(settings.loadBalancerClass().orElse(null))
                .withLoadBalancerSourceRanges(settings.sourceRanges())
                .withExternalTrafficPolicy(settings.externalTrafficPolicy().orElse(null))
                .endSpec()
                .build();
    }

    private static ObjectMeta meta(Blueprint blueprint, String name) {
        Map<String, String> annotations = new TreeMap<>(
                blueprint.imprint().annotations(blueprint.service().annotations()));
        annotations.putAll(blueprint.sockets().annotations());
        ObjectMeta meta = blueprint.imprint().meta(name, blueprint.service().labels(), Map.of());
        meta.setAnnotations(annotations);
        return meta;
    }

    private static ServicePort port(Sockets.Mapped mapped) {
        return new ServicePortBuilder()
                .withName(mapped.name())
                .withProtocol("TCP")
                .withPort(mapped.port().value())
                .withTargetPort(new IntOrString(mapped.target().value()))
                .build();
    }
}
