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
final class GatewayServices {
    /** A Service needs a port, a Gateway need not have one; whoever asks there is told 404. */
    static final String NO_LISTENER = "no-listener";

    private static final String LOAD_BALANCER = "LoadBalancer";
    private static final List<ListenerPorts.Mapped> DUMMY =
            List.of(new ListenerPorts.Mapped(NO_LISTENER, new Port(80), new Port(10_000)));

    private GatewayServices() {}

    static List<Service> of(DeploymentInput input) {
        List<Optional<String>> asked = input.gateway().addresses().stream()
                .map(AddressRequest::value)
                .distinct()
                .toList();
        Names names = input.names();
        var services = new ArrayList<Service>();
        services.add(service(input, names.base(), asked.isEmpty() ? Optional.empty() : asked.getFirst()));
        asked.stream()
                .skip(1)
                .forEach(address -> services.add(service(input, names.addressService(address.orElse("")), address)));
        return services;
    }

    private static Service service(DeploymentInput input, String name, Optional<String> address) {
        ServiceSettings settings = input.service();
        String type = settings.serviceType().orElse(LOAD_BALANCER);
        List<ListenerPorts.Mapped> mapped = input.ports().mapped();
        return new ServiceBuilder()
                .withMetadata(meta(input, name))
                .withNewSpec()
                .withType(type)
                .withSelector(input.metadata().selector())
                .withPorts((mapped.isEmpty() ? DUMMY : mapped)
                        .stream().map(GatewayServices::port).toList())
                .withLoadBalancerIP(
                        address.filter(value -> type.equals(LOAD_BALANCER)).orElse(null))
                .withLoadBalancerClass(settings.loadBalancerClass().orElse(null))
                .withLoadBalancerSourceRanges(settings.sourceRanges())
                .withExternalTrafficPolicy(settings.externalTrafficPolicy().orElse(null))
                .endSpec()
                .build();
    }

    private static ObjectMeta meta(DeploymentInput input, String name) {
        Map<String, String> annotations =
                new TreeMap<>(input.metadata().annotations(input.service().annotations()));
        annotations.putAll(input.ports().annotations());
        ObjectMeta meta = input.metadata().meta(name, input.service().labels(), Map.of());
        meta.setAnnotations(annotations);
        return meta;
    }

    private static ServicePort port(ListenerPorts.Mapped mapped) {
        return new ServicePortBuilder()
                .withName(mapped.name())
                .withProtocol("TCP")
                .withPort(mapped.port().value())
                .withTargetPort(new IntOrString(mapped.target().value()))
                .build();
    }
}
